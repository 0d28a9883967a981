/*
 * link.h - the client's side of the agent's socket, where only the agent writes the region. A
 * broker client has a client page that it shares with the agent (wire.h) in place of its record,
 * and a view in place of the region, with the parts that concern it. So everything that takes no
 * lock works in the same way. Internal to client*.c; call with the mutex, unless stated otherwise.
 */
#ifndef SG_LINK_H
#define SG_LINK_H

#include "wire.h"
#include <sys/types.h>

struct sg_self;

struct sg_link {
  bool on; /**< this process is a broker client: `h.r` is the view, `record` that of the page */
  bool connected;
  int fd; /**< descriptor number, which the program may have reused: checked before use */
  dev_t dev;
  ino_t ino;
  uint32_t version; /**< protocol version, since it connected */
  uint32_t sequence;
  uint32_t slot;
  uint32_t gen;
  uint64_t deadline_ns;    /**< deadline of the current call */
  uint64_t quiet_until_ns; /**< the agent did not answer: messages that can wait are not sent before
                              that time */
  struct sg_page *page;    /**< stays mapped, at the same address after every attach */
  void *live;
  struct sg_region *view;
  struct sg_wire_wait wait; /**< the request that waits */
  bool wait_lost;           /**< the agent does not know that wait any more */
};

/* --- link.c --- */
/** True if there is a socket of an agent in `run_dir`. */
bool sg_link_exists(const char *run_dir);
/** True if users need an agent, even if its socket is missing now. */
bool sg_link_expected(const char *run_dir);
/**
 * Sends a question and receives the answer. ELOCK: the agent does not answer in time. `fds` gets
 * the descriptors of the answer, -1 for none; NULL: none is expected.
 */
int sg_link_exchange(struct sg_self *self, struct sg_wire_question *q, struct sg_wire_answer *a,
                     int fds[2]);
/**
 * Connects if necessary, and resumes what this process held. OK, ELOCK, or the reason why it cannot
 * go on.
 */
int sg_link_ready(struct sg_self *self);
void sg_link_close(struct sg_link *link);
void sg_link_close_both(const int fds[2]);

/* --- link_state.c --- */
struct sg_job_key;
struct sg_joined;
/** As sg_attach_slot(), by the agent of `run_dir`. EAGENT, ELOCK: as sg_link_ask_in_time(). */
int sg_link_attach(struct sg_self *self, const char *run_dir, const struct sg_job_key *key,
                   int64_t timeout_ns, struct sg_joined *joined);
/**
 * As sg_link_exchange(), until the deadline: over a new connection if the old one broke, and again
 * if the agent did not get the region's lock. Only for messages that may be repeated. EAGENT: the
 * agent does not answer; ELOCK: it answers, but does not get the lock.
 */
int sg_link_ask_in_time(struct sg_self *self, struct sg_wire_question *q, struct sg_wire_answer *a,
                        int fds[2]);
/** Maps the liveness file and the page of an answer, in place of the old ones. */
int sg_link_map(struct sg_link *link, const int fds[2]);
/** Unmaps both; the slot counts as dead from now on. */
void sg_link_unmap(struct sg_link *link);
int sg_link_resume(struct sg_self *self);
int sg_link_detach(struct sg_self *self);

/* --- link_ask.c --- */
/** A function for sg_link_do(), like a transition of sg_self_do(). */
typedef int (*sg_link_transition)(struct sg_self *self, void *argument, struct sg_wakes *wakes);
/** Runs the function until the agent has answered; ELOCK if it did not in time. */
int sg_link_do(struct sg_self *self, int64_t timeout_ns, sg_link_transition transition,
               void *argument);

struct sg_wait;
/** Asks for memory or a context, as sg_ask(). Completes `wait` if the request was queued. */
int sg_link_ask(struct sg_self *self, const struct sg_request *request, struct sg_wait *wait,
                struct schedgpu_wait_notice *notice);
int sg_link_settle(struct sg_self *self, const struct sg_wait *wait);
/** Ends a wait. True if it was lost with an agent that ended; then it is asked for again. */
bool sg_link_forget(struct sg_self *self);

/* The following functions take the mutex. */
/** Tells the agent that the page has changed; call it after memory was freed or refused. */
int sg_link_sync(struct sg_self *self);
int sg_link_query(struct sg_self *self, uint32_t device, struct schedgpu_info *info);
int sg_link_holders(struct sg_self *self, uint32_t device, char *text, size_t size);

/** Sleeps until the wait or its time is over. */
void sg_link_sleep(struct sg_self *self, const struct sg_wait *wait);

#endif

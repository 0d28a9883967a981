/*
 * link.h - a client's side of the socket, where only the agent writes the region. A process that is
 * served has a page that it shares with the agent (wire.h) in place of its record, and in place of
 * the region a picture of what concerns it: so whatever takes no lock works as it does elsewhere.
 * Internal to client*.c; called with the mutex held, but for what is said to take it.
 */
#ifndef SG_LINK_H
#define SG_LINK_H

#include "wire.h"
#include <sys/types.h>

struct sg_self;

struct sg_link {
  bool on; /**< this process is served: `h.r` is the picture, `record` that of the page */
  bool connected;
  int fd; /**< which of the host's descriptors may have become: so it is looked at before use */
  dev_t dev;
  ino_t ino;
  uint32_t version; /**< of the messages, since it connected */
  uint32_t sequence;
  uint32_t slot;
  uint32_t gen;
  uint64_t deadline_ns;    /**< of the call that is being made */
  uint64_t quiet_until_ns; /**< the agent did not answer: what can wait is not said before that */
  struct sg_page *page;    /**< stays mapped: at the same address after every attach */
  void *live;
  struct sg_region *view;
  struct sg_wire_wait wait; /**< what it waits for */
  bool wait_lost;           /**< the agent does not know that wait any more */
};

/* --- link.c --- */
/** Whether there is a socket of an agent in `run_dir` at all. */
bool sg_link_there(const char *run_dir);
/** Whether an agent is to act for those who are not root, even if its socket is missing now. */
bool sg_link_expected(const char *run_dir);
/**
 * Sends and receives. ELOCK: the agent does not answer, or not in time. Descriptors that came with
 * the answer are in `fds`, -1 where there was none; NULL: none is expected.
 */
int sg_link_exchange(struct sg_self *self, struct sg_wire_question *q, struct sg_wire_answer *a,
                     int fds[2]);
/** Connects if need be, resuming what this process held. OK, ELOCK, or why it cannot go on. */
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
 * As sg_link_exchange(), until the deadline: over a new connection where the old one broke, and
 * again where the agent did not get the region's lock. Only for what may be asked twice. EAGENT: it
 * does not answer; ELOCK: it does, and the lock is not to be had.
 */
int sg_link_ask_in_time(struct sg_self *self, struct sg_wire_question *q, struct sg_wire_answer *a,
                        int fds[2]);
/** Maps what came with an answer, liveness file and page, in place of what there was. */
int sg_link_map(struct sg_link *link, const int fds[2]);
/** Unmaps both: from here on the slot counts as dead. */
void sg_link_unmap(struct sg_link *link);
int sg_link_resume(struct sg_self *self);
int sg_link_detach(struct sg_self *self);

/* --- link_ask.c --- */
/** What sg_link_do() runs, as sg_self_do() runs transitions. */
typedef int (*sg_link_transition)(struct sg_self *self, void *argument, struct sg_wakes *wakes);
/** Runs one until the agent has answered; ELOCK if it did not in time. */
int sg_link_do(struct sg_self *self, int64_t timeout_ns, sg_link_transition transition,
               void *argument);

struct sg_wait;
/** Asks for memory or a context; as sg_ask(). Fills in the rest of the wait, if it was queued. */
int sg_link_ask(struct sg_self *self, const struct sg_request *request, struct sg_wait *wait,
                struct schedgpu_wait_notice *notice);
int sg_link_settle(struct sg_self *self, const struct sg_wait *wait);
/** A wait is over; whether it was lost, with an agent that went: then it is asked for again. */
bool sg_link_forget(struct sg_self *self);

/* The rest takes the mutex itself. */
/** Says that the page has changed: to be called after something was given back, or refused. */
int sg_link_sync(struct sg_self *self);
int sg_link_query(struct sg_self *self, uint32_t device, struct schedgpu_info *info);
int sg_link_holders(struct sg_self *self, uint32_t device, char *text, size_t size);

/** Sleeps until the wait is over, or its time. */
void sg_link_sleep(struct sg_self *self, const struct sg_wait *wait);

#endif

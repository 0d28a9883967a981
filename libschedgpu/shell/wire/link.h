/*
 * link.h - the client's side of the agent's socket, where only the agent writes the region. A
 * broker client has a client page that it shares with the agent (wire.h) in place of its record,
 * and a view in place of the region, with the parts that concern it. So everything that takes no
 * lock works in the same way. Internal to wire/; call with the mutex, unless stated otherwise.
 */
#ifndef SG_LINK_H
#define SG_LINK_H

#include "link_state.h"
#include "wire.h"

struct sg_self;

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
/** True if the connection is broken, or there is none yet. */
bool sg_link_broken(const struct sg_link *link);
/** Connects to the agent of the run directory. OK, ELOCK, or the reason why it cannot. */
int sg_link_connect(struct sg_self *self);
void sg_link_close(struct sg_link *link);
void sg_link_close_both(const int fds[2]);

/* --- link_state.c --- */
/**
 * Connects if necessary, and resumes what this process held. OK, ELOCK, or the reason why it cannot
 * go on.
 */
int sg_link_ready(struct sg_self *self);
/**
 * As sg_link_exchange(), until the deadline: over a new connection if the old one broke, and again
 * if the agent did not get the region's lock. Only for messages that may be repeated. EAGENT: the
 * agent does not answer; ELOCK: it answers, but does not get the lock.
 */
int sg_link_ask_in_time(struct sg_self *self, struct sg_wire_question *q, struct sg_wire_answer *a,
                        int fds[2]);
/**
 * Sends a message without a body, after the page has changed. If it is lost that does no harm,
 * because the next agent reads the page: so the wait is short. Call without the mutex. ELOCK: it
 * was lost; EUNDERFLOW: the process is detached.
 */
int sg_link_tell(struct sg_self *self, uint32_t type);
/** Maps the liveness file and the page of an answer, in place of the old ones. */
int sg_link_map(struct sg_link *link, const int fds[2]);
/** Unmaps the liveness file: the slot counts as dead from now on. */
void sg_link_leave(struct sg_link *link);
/** Unmaps both. */
void sg_link_unmap(struct sg_link *link);

/* --- link_attach.c --- */
struct sg_job_key;
struct sg_joined;
/** As sg_attach_slot(), by the agent of `run_dir`. EAGENT, ELOCK: as sg_link_ask_in_time(). */
int sg_link_attach(struct sg_self *self, const char *run_dir, const struct sg_job_key *key,
                   int64_t timeout_ns, struct sg_joined *joined);
void sg_link_detach(struct sg_self *self);

#endif

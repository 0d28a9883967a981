/* notice.h - what a wait looks like, for whoever observes it. */
#ifndef SG_NOTICE_H
#define SG_NOTICE_H

#include "../../core/core.h"

void sg_notice_start(const struct sg_region *r, int ordinal, uint32_t waiter,
                     struct schedgpu_wait_notice *notice);
void sg_notice_end(struct schedgpu_wait_notice *notice, uint64_t waited_ns, int result);

/** Tells whoever observes. */
void sg_notice_send(const struct schedgpu_wait_notice *notice);

/** Instead of a pid: it is the agent that does not answer. */
#define SG_NOTICE_AGENT (-1)
/** The lock has been held for seconds by process `pid`. */
void sg_notice_lock(int32_t pid, char state);

/** Whether this thread is in the observer just now: who is called from there must not wait long. */
bool sg_notice_in_observer(void);

#endif

/* notice.h - describes a wait and passes it to the observer. */
#ifndef SG_NOTICE_H
#define SG_NOTICE_H

#include "../../core/rules/core.h"

void sg_notice_start(const struct sg_region *r, int ordinal, uint32_t waiter,
                     struct schedgpu_wait_notice *notice);
/** The process of the slot has waited for seconds for the turn of its lane. */
void sg_notice_turn(const struct sg_region *r, int ordinal, uint32_t slot, uint64_t waited_ns,
                    struct schedgpu_wait_notice *notice);
void sg_notice_end(struct schedgpu_wait_notice *notice, uint64_t waited_ns, int result);

/** Calls the observer, if there is one. */
void sg_notice_send(const struct schedgpu_wait_notice *notice);

/** In place of a pid: the agent does not answer. */
#define SG_NOTICE_AGENT (-1)
/** The lock has been held for seconds by process `pid`. */
void sg_notice_lock(int32_t pid, char state);

/** True while this thread is in the observer, from which calls must not wait long. */
bool sg_notice_in_observer(void);

#endif

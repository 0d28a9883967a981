/*
 * client_budget.c - takes and frees memory inside a budget that the job holds (modes peak and
 * gate), without a lock. Every allocation and free of a program comes here, so it is the fast path.
 */
#include "operations.h"
#include "../../core/rules/growth.h"

bool sg_budget_take(struct sg_self *self, int ordinal, uint64_t bytes) {
  if (!atomic_load_explicit(&self->whole, memory_order_relaxed))
    return false; /* an early test, before a search for a reader slot */
  struct sg_client *record = sg_self_enter(self);
  uint32_t d = record && atomic_load_explicit(&self->whole, memory_order_relaxed)
                   ? sg_self_device(self, ordinal)
                   : SG_NONE;
  bool taken = d < SCHEDGPU_MAX_DEVICES && sg_lease_take(record, d, sg_units_of(bytes));
  if (taken)
    sg_self_note(self, record, d);
  sg_self_exit(self);
  return taken;
}

bool sg_budget_is_wanted(const struct sg_self *self, const struct sg_client *record,
                         uint32_t device) {
  return sg_in_use(atomic_load(&record->lease[device])) == 0 &&
         sg_operations_of(self)->others_wait(self);
}

enum given { GIVEN, MUST_SERVE, TOO_MUCH, JOB_ENDED, NO_RECORD };

/**
 * Checks for waiters after the last unit was freed (after any unit if the budget may grow). The
 * order here (free, then check) and of a waiter (count itself, then check) misses no waiter.
 */
__attribute__((noinline)) static enum given
check_waiters(struct sg_self *self, struct sg_client *record, uint32_t device, bool idle) {
  if (idle && self->h.r->h.grace_ns > 0)
    record->idle_since_ns[device] = sg_now_ns();
  /* the budget is held on all devices of the job, and freed when the last is unused */
  return sg_operations_of(self)->others_wait(self) ? MUST_SERVE : GIVEN;
}

static enum given give_to_lease(struct sg_self *self, struct sg_client *record, uint32_t device,
                                uint64_t bytes) {
  bool idle;
  if (!sg_lease_give(&record->lease[device], sg_units_of(bytes), &idle))
    return sg_job_active(self->h.r, record->job) ? TOO_MUCH : JOB_ENDED;
  sg_self_note(self, record, device);
  bool must_check = idle || sg_budget_grows(self->h.r, self->job); /* others may wait for a part */
  return must_check ? check_waiters(self, record, device, idle) : GIVEN;
}

static enum given try_to_give(struct sg_self *self, uint32_t device, uint64_t bytes) {
  struct sg_client *record = sg_self_enter(self);
  enum given given = record ? give_to_lease(self, record, device, bytes) : NO_RECORD;
  sg_self_exit(self);
  return given;
}

/** True if this process has at least as much as it frees, although its record says otherwise. */
static bool record_was_lost(struct sg_self *self, uint32_t device, uint64_t bytes) {
  struct sg_lock_timeout timeout = SG_NO_LOCK_TIMEOUT;
  return sg_in_use(self->backup.lease[device]) >= sg_units_of(bytes) &&
         sg_self_has_job(self, &timeout);
}

__attribute__((noinline)) static int give_slowly(struct sg_self *self, uint32_t device,
                                                 uint64_t bytes, enum given given) {
  if ((given == TOO_MUCH || given == JOB_ENDED) && record_was_lost(self, device, bytes))
    given = try_to_give(self, device, bytes);
  if (given == TOO_MUCH || given == NO_RECORD)
    return SCHEDGPU_EUNDERFLOW;
  if (given == JOB_ENDED)
    return SCHEDGPU_ENOJOB;
  if (given == GIVEN)
    return SCHEDGPU_OK;
  return sg_operations_of(self)->serve(self);
}

int sg_budget_give(struct sg_self *self, uint32_t device, uint64_t bytes) {
  enum given given = try_to_give(self, device, bytes);
  return given == GIVEN ? SCHEDGPU_OK : give_slowly(self, device, bytes, given);
}

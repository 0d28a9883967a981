/*
 * client_budget.c - takes and frees memory inside a budget that the job holds (modes peak and
 * gate), without a lock. Every allocation and free of a program comes here, so it is the fast path.
 */
#include "client.h"
#include "growing.h"
#include "../../core/rules/growth.h"

static uint64_t units_of(uint64_t bytes) {
  return bytes / SG_UNIT_BYTES + (bytes % SG_UNIT_BYTES != 0);
}

bool sg_budget_take(struct sg_self *self, int ordinal, uint64_t bytes) {
  if (!atomic_load_explicit(&self->whole, memory_order_relaxed))
    return false; /* an early test, before a search for a reader slot */
  struct sg_client *record = sg_self_enter(self);
  uint32_t d = record && atomic_load_explicit(&self->whole, memory_order_relaxed)
                   ? sg_self_device(self, ordinal)
                   : SG_NONE;
  bool taken = d < SCHEDGPU_MAX_DEVICES && sg_lease_take(record, d, units_of(bytes));
  if (taken)
    sg_self_note(self, record, d);
  sg_self_exit(self);
  return taken;
}

/** True if the process has leased less than that, of a budget that may grow. */
static bool needs_more(struct sg_self *self, int ordinal, uint64_t bytes) {
  const struct sg_client *record = sg_self_enter(self);
  uint32_t d = record ? sg_self_device(self, ordinal) : SG_NONE;
  uint64_t lease = d < SCHEDGPU_MAX_DEVICES ? atomic_load(&record->lease[d]) : 0;
  bool grows = d < SCHEDGPU_MAX_DEVICES && sg_budget_grows(self->h.r, self->job);
  sg_self_exit(self);
  uint64_t leased = sg_leased(lease), in_use = sg_in_use(lease);
  return grows && (leased > in_use ? leased - in_use : 0) < units_of(bytes);
}

bool sg_budget_would_grow(int device, uint64_t bytes, uint64_t *use_bytes) {
  struct sg_self *self = sg_self();
  struct schedgpu_info info;
  if (!self || !needs_more(self, device, bytes) || schedgpu_query(device, &info) != SCHEDGPU_OK)
    return false;
  bool added = !__builtin_add_overflow(info.job_used_bytes, bytes, use_bytes);
  return added && info.budget_bytes > 0 && *use_bytes > info.budget_bytes;
}

/**
 * True if a request waits for one of these devices. A job that is not admitted may wait for them in
 * the context queue of any other device.
 */
static bool any_waiter(const struct sg_region *r, uint32_t mask) {
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++)
    if (atomic_load(&r->device[d].waiting[SG_QUEUE_CONTEXT]) != 0 ||
        ((mask & 1u << d) && atomic_load(&r->device[d].waiting[SG_QUEUE_MEMORY]) != 0))
      return true;
  return false;
}

bool sg_budget_is_wanted(const struct sg_self *self, const struct sg_client *record,
                         uint32_t device) {
  return sg_in_use(atomic_load(&record->lease[device])) == 0 &&
         any_waiter(self->h.r, self->h.r->job[self->job].device_mask);
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
  if (self->link.on)
    return atomic_load(&self->link.page->sync_wanted) ? MUST_SERVE : GIVEN;
  /* the budget is held on all devices of the job, and freed when the last is unused */
  return any_waiter(self->h.r, self->h.r->job[self->job].device_mask) ? MUST_SERVE : GIVEN;
}

static enum given give_to_lease(struct sg_self *self, struct sg_client *record, uint32_t device,
                                uint64_t bytes) {
  bool idle;
  if (!sg_lease_give(&record->lease[device], units_of(bytes), &idle))
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
  return sg_in_use(self->backup.lease[device]) >= units_of(bytes) &&
         sg_self_do(self, &timeout, sg_self_has_job, NULL) == SCHEDGPU_OK;
}

static int serve_waiters(struct sg_self *self, void *argument, struct sg_wakes *wakes) {
  (void)argument;
  sg_serve(self->h.r, sg_now_ns(), wakes);
  return SCHEDGPU_OK;
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
  if (self->link.on)
    return sg_link_sync(self);
  struct sg_lock_timeout timeout = SG_NO_LOCK_TIMEOUT;
  int rc = sg_self_do(self, &timeout, serve_waiters, NULL);
  return rc == SCHEDGPU_ENOJOB ? SCHEDGPU_OK
                               : rc; /* the thread that detached has served the waiters */
}

int sg_budget_give(struct sg_self *self, uint32_t device, uint64_t bytes) {
  enum given given = try_to_give(self, device, bytes);
  return given == GIVEN ? SCHEDGPU_OK : give_slowly(self, device, bytes, given);
}

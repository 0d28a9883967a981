/* client.c - the calls of schedgpu.h that reserve and release. */
#include "client.h"
#include <string.h>

static uint64_t units_of(uint64_t bytes) {
  return sg_round_up(bytes) / SG_UNIT_BYTES;
}

/** Region device of an ordinal, SG_NONE if the job has none. */
static uint32_t device_of(const struct sg_self *self, int ordinal) {
  if (ordinal < 0 || (uint32_t)ordinal >= self->ordinals.count)
    return SG_NONE;
  return self->ordinals.device[ordinal];
}

static uint64_t deadline_of(const struct sg_self *self, int64_t timeout_ns, uint64_t now_ns) {
  if (timeout_ns == SCHEDGPU_JOB_WAIT)
    timeout_ns = self->h.r->job[self->job].wait_ns;
  if (timeout_ns < 0 || (uint64_t)timeout_ns >= UINT64_MAX - now_ns)
    return SG_NO_DEADLINE;
  return now_ns + (uint64_t)timeout_ns;
}

/** Asks under mutex and lock; what is queued is then waited for outside of both. */
static int ask(struct sg_self *self, int ordinal, uint64_t bytes, bool context,
               int64_t timeout_ns) {
  struct sg_wakes wakes;
  wakes.count = 0; /* not the 2 KiB behind it */
  uint32_t waiter = SG_NONE;
  uint64_t ticket = 0, deadline_ns = 0;
  pthread_mutex_lock(&self->mutex);
  int rc = sg_self_attach(self);
  uint32_t device = rc == SCHEDGPU_OK ? device_of(self, ordinal) : SG_NONE;
  if (rc == SCHEDGPU_OK && device == SG_NONE)
    rc = SCHEDGPU_EDEVICE;
  if (rc == SCHEDGPU_OK)
    rc = sg_lock_patiently(&self->h);
  if (rc == SCHEDGPU_OK) {
    uint64_t now_ns = sg_now_ns();
    deadline_ns = deadline_of(self, timeout_ns, now_ns);
    struct sg_request request = {.client = self->h.slot,
                                 .device = device,
                                 .bytes = bytes,
                                 .context = context,
                                 .may_wait = deadline_ns > now_ns,
                                 .deadline_ns = deadline_ns};
    rc = sg_ask(self->h.r, &request, now_ns, &waiter, &wakes);
    if (waiter != SG_NONE)
      ticket = self->h.r->waiter[waiter].ticket;
    sg_unlock_and_wake(&self->h, &wakes);
  }
  pthread_mutex_unlock(&self->mutex);
  return waiter == SG_NONE ? rc : sg_self_wait(self, ordinal, waiter, ticket, deadline_ns);
}

/** Somebody may have died with what we need: look before queueing (FACTS: scan before queueing). */
static int ask_after_reaping(struct sg_self *self, int ordinal, uint64_t bytes, bool context,
                             int64_t timeout_ns) {
  int rc = ask(self, ordinal, bytes, context, SCHEDGPU_NO_WAIT);
  if (rc != SCHEDGPU_EWOULDBLOCK && rc != SCHEDGPU_EBUDGET && rc != SCHEDGPU_EFULL)
    return rc;
  uint16_t dead[SG_SLOTS];
  bool found = false;
  pthread_mutex_lock(&self->mutex);
  if (atomic_load(&self->record) && sg_find_dead(&self->h, dead, SG_SLOTS) > 0)
    found = sg_reap(&self->h, SCHEDGPU_FOREVER, NULL) == SCHEDGPU_OK;
  pthread_mutex_unlock(&self->mutex);
  if (!found && (rc != SCHEDGPU_EWOULDBLOCK || timeout_ns == SCHEDGPU_NO_WAIT))
    return rc;
  return ask(self, ordinal, bytes, context, timeout_ns);
}

int schedgpu_reserve(int device, uint64_t bytes, int64_t timeout_ns) {
  if (timeout_ns < SCHEDGPU_JOB_WAIT)
    return SCHEDGPU_EINVAL;
  struct sg_self *self = sg_self();
  if (!self)
    return SCHEDGPU_ESYSTEM;
  struct sg_client *record = atomic_load_explicit(&self->record, memory_order_acquire);
  if (record && self->peak) {
    uint32_t d = device_of(self, device);
    if (d < SCHEDGPU_MAX_DEVICES && sg_lease_take(&record->lease[d], units_of(bytes)))
      return SCHEDGPU_OK;
  }
  return ask_after_reaping(self, device, bytes, false, timeout_ns);
}

static int serve_waiters(struct sg_self *self, uint32_t mask) {
  struct sg_wakes wakes;
  wakes.count = 0; /* not the 2 KiB behind it */
  pthread_mutex_lock(&self->mutex);
  int rc = sg_lock_patiently(&self->h);
  if (rc == SCHEDGPU_OK) {
    sg_serve(self->h.r, mask, sg_now_ns(), &wakes);
    sg_unlock_and_wake(&self->h, &wakes);
  }
  pthread_mutex_unlock(&self->mutex);
  return rc;
}

static bool somebody_waits(const struct sg_region *r, uint32_t mask) {
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++)
    if ((mask & 1u << d) && (atomic_load(&r->device[d].waiting[SG_QUEUE_MEMORY]) != 0 ||
                             atomic_load(&r->device[d].waiting[SG_QUEUE_CONTEXT]) != 0))
      return true;
  return false;
}

/**
 * Inside the budget giving back takes no lock. Only who frees the last of it looks whether somebody
 * waits: the order (free, then look) against the waiter's (be counted, then look) misses nobody.
 */
static int release_peak(struct sg_self *self, struct sg_client *record, uint32_t device,
                        uint64_t bytes) {
  bool idle;
  if (!sg_lease_give(&record->lease[device], units_of(bytes), &idle))
    return sg_job_active(self->h.r, record->job) ? SCHEDGPU_EUNDERFLOW : SCHEDGPU_ENOJOB;
  if (!idle)
    return SCHEDGPU_OK;
  if (self->h.r->h.grace_ns > 0)
    record->idle_since_ns[device] = sg_now_ns();
  /* the budget is held on all devices of the job, and goes when the last of them is unused */
  uint32_t mask = self->h.r->job[self->job].device_mask;
  return somebody_waits(self->h.r, mask) ? serve_waiters(self, mask) : SCHEDGPU_OK;
}

int schedgpu_release(int device, uint64_t bytes) {
  struct sg_self *self = sg_self();
  struct sg_client *record = self ? atomic_load(&self->record) : NULL;
  if (!record)
    return SCHEDGPU_EUNDERFLOW; /* who is not attached holds nothing */
  uint32_t d = device_of(self, device);
  if (d >= SCHEDGPU_MAX_DEVICES)
    return SCHEDGPU_EDEVICE;
  if (self->peak)
    return release_peak(self, record, d, bytes);
  struct sg_wakes wakes;
  wakes.count = 0; /* not the 2 KiB behind it */
  pthread_mutex_lock(&self->mutex);
  int rc = sg_lock_patiently(&self->h);
  if (rc == SCHEDGPU_OK) {
    rc = sg_give_back(self->h.r, self->h.slot, d, bytes, sg_now_ns(), &wakes);
    sg_unlock_and_wake(&self->h, &wakes);
  }
  pthread_mutex_unlock(&self->mutex);
  return rc;
}

/** Counts one more user of a context that this process has; false if it has none. */
static bool enter_again(struct sg_self *self, uint32_t device) {
  bool have = device < SCHEDGPU_MAX_DEVICES && self->context_depth[device] > 0;
  if (have)
    self->context_depth[device]++;
  return have;
}

static int enter_first(struct sg_self *self, int ordinal, int64_t timeout_ns) {
  pthread_mutex_lock(&self->mutex);
  int rc = sg_self_attach(self);
  uint32_t d = rc == SCHEDGPU_OK ? device_of(self, ordinal) : SG_NONE;
  bool have = enter_again(self, d);
  pthread_mutex_unlock(&self->mutex);
  if (rc != SCHEDGPU_OK || have)
    return rc;
  rc = ask_after_reaping(self, ordinal, 0, true, timeout_ns);
  if (rc == SCHEDGPU_OK) {
    pthread_mutex_lock(&self->mutex);
    self->context_depth[d]++;
    pthread_mutex_unlock(&self->mutex);
  }
  return rc;
}

int schedgpu_context_enter(int device, int64_t timeout_ns) {
  if (timeout_ns < SCHEDGPU_JOB_WAIT)
    return SCHEDGPU_EINVAL;
  struct sg_self *self = sg_self();
  if (!self)
    return SCHEDGPU_ESYSTEM;
  pthread_mutex_lock(&self->context_mutex);
  int rc = enter_first(self, device, timeout_ns);
  pthread_mutex_unlock(&self->context_mutex);
  return rc;
}

int schedgpu_context_leave(int device) {
  struct sg_self *self = sg_self();
  if (!self || !atomic_load(&self->record))
    return SCHEDGPU_EUNDERFLOW;
  uint32_t d = device_of(self, device);
  if (d >= SCHEDGPU_MAX_DEVICES)
    return SCHEDGPU_EDEVICE;
  struct sg_wakes wakes;
  wakes.count = 0; /* not the 2 KiB behind it */
  pthread_mutex_lock(&self->mutex);
  int rc = SCHEDGPU_OK;
  if (self->context_depth[d] == 0) {
    rc = SCHEDGPU_EUNDERFLOW;
  } else if (--self->context_depth[d] == 0) {
    rc = sg_lock_patiently(&self->h);
    if (rc == SCHEDGPU_OK) {
      rc = sg_context_leave(self->h.r, self->h.slot, d, sg_now_ns(), &wakes);
      sg_unlock_and_wake(&self->h, &wakes);
    }
  }
  pthread_mutex_unlock(&self->mutex);
  /* a device without context overhead has nothing to give back */
  return rc == SCHEDGPU_EUNDERFLOW && self->h.r->device[d].context_bytes == 0 ? SCHEDGPU_OK : rc;
}

int schedgpu_query(int device, struct schedgpu_info *info) {
  int rc = schedgpu_attach();
  if (rc != SCHEDGPU_OK)
    return rc;
  struct sg_self *self = sg_self();
  const struct sg_client *record = atomic_load(&self->record);
  uint32_t d = device_of(self, device);
  if (!record || d >= SCHEDGPU_MAX_DEVICES)
    return SCHEDGPU_EDEVICE;
  const struct sg_region *r = self->h.r;
  uint32_t index = record->job;
  if (!sg_job_active(r, index))
    return SCHEDGPU_ENOJOB;
  const struct sg_job *job = &r->job[index];
  *info = (struct schedgpu_info){.total_bytes = sg_usable(&r->device[d]),
                                 .budget_bytes = job->budget_bytes[d],
                                 .job_used_bytes = sg_job_in_use(r, index, d),
                                 .own_used_bytes =
                                     sg_in_use(atomic_load(&record->lease[d])) * SG_UNIT_BYTES,
                                 .context_bytes = r->device[d].context_bytes,
                                 .mode = job->mode,
                                 .priority = job->priority,
                                 .job_id = job->id};
  return SCHEDGPU_OK;
}

int schedgpu_device_of_uuid(const char *uuid) {
  if (!uuid)
    return SCHEDGPU_EINVAL;
  int rc = schedgpu_attach();
  if (rc != SCHEDGPU_OK)
    return rc;
  const struct sg_self *self = sg_self();
  int ordinal = sg_ordinal_of(&self->ordinals, sg_device_of_uuid(self->h.r, uuid, strlen(uuid)));
  return ordinal >= 0 ? ordinal : SCHEDGPU_EDEVICE;
}

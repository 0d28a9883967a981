/*
 * client_lock.c - takes mutex and lock, and reports the holder of the lock. A live process never
 * loses the lock, so this may take as long as it is stopped.
 */
#include "client_lock.h"
#include "notice.h"
#include "../../core/lanes/lanes.h"

#define LOCK_TIMEOUT_NS INT64_C(3000000000)

int64_t sg_lock_timeout_left(const struct sg_lock_timeout *p) {
  if (!p->reported)
    return LOCK_TIMEOUT_NS;
  uint64_t now_ns = sg_now_ns();
  uint64_t left_ns = p->give_up_ns > now_ns ? p->give_up_ns - now_ns : 0;
  return left_ns < (uint64_t)LOCK_TIMEOUT_NS ? (int64_t)left_ns : LOCK_TIMEOUT_NS;
}

bool sg_lock_timeout_continues(struct sg_lock_timeout *p, int32_t holder) {
  if (!p->reported)
    sg_notice_lock(holder, holder > 0 ? sg_proc_state(holder) : '?');
  p->reported = true;
  return sg_now_ns() < p->give_up_ns;
}

/** Copies the record into the backup. Call with the lock after every change. */
static void note_all(struct sg_self *self) {
  const struct sg_client *record = atomic_load(&self->record);
  for (uint32_t d = 0; record && d < SCHEDGPU_MAX_DEVICES; d++) {
    sg_self_note(self, record, d);
    self->backup.contexts[d] = record->contexts[d];
  }
}

void sg_self_wait_while_paused(struct sg_self *self) {
  do {
    sg_readers_exit(&self->readers);
    pthread_mutex_lock(&self->mutex); /* the thread that restores the record has the mutex */
    pthread_mutex_unlock(&self->mutex);
    sg_readers_enter(&self->readers);
  } while (atomic_load_explicit(&self->paused, memory_order_acquire) != 0);
}

/** Restores the record. The backup is exact only while no thread is inside. */
static int restore_record(struct sg_self *self, struct sg_wakes *wakes) {
  atomic_store(&self->paused, 1);
  sg_readers_wait(&self->readers);
  int rc = sg_restore_own_record(&self->h, &self->backup, &self->repairs, wakes);
  atomic_store(&self->paused, 0);
  return rc;
}

static int try_once(struct sg_self *self, int64_t timeout_ns, sg_transition transition,
                    void *argument) {
  struct sg_wakes wakes;
  sg_wakes_clear(&wakes);
  if (!atomic_load(&self->record))
    return SCHEDGPU_ENOJOB;
  if (self->link.on)
    return sg_link_do(self, timeout_ns, transition, argument);
  int rc = sg_lock(&self->h, timeout_ns);
  if (rc != SCHEDGPU_OK) /* the region was removed, so it is unknown whether the holder lives */
    return sg_region_exists(&self->h) ? rc : SCHEDGPU_ENOREGION;
  rc = sg_record_needs_check(&self->h, self->repairs) ? restore_record(self, &wakes) : SCHEDGPU_OK;
  if (rc == SCHEDGPU_OK) {
    rc = transition(self, argument, &wakes);
    note_all(self);
  }
  sg_unlock_and_wake(&self->h, &wakes);
  if (!atomic_load(&self->record)) { /* the transition was the detach */
    sg_readers_wait(&self->readers); /* other threads may still use the record */
    sg_slot_drop(&self->h);          /* only the owner of a slot may hold the lock */
  }
  return rc;
}

int sg_self_do(struct sg_self *self, struct sg_lock_timeout *timeout, sg_transition transition,
               void *argument) {
  int rc, cancel_state = sg_forbid_cancel();
  for (;;) {
    pthread_mutex_lock(&self->mutex);
    bool by_agent = self->link.on;
    rc = try_once(self, sg_lock_timeout_left(timeout), transition, argument);
    int32_t holder = self->h.lock_holder;
    pthread_mutex_unlock(&self->mutex);
    if (rc != SCHEDGPU_ELOCK)
      break;
    if (!sg_lock_timeout_continues(timeout, holder)) {
      rc = by_agent ? SCHEDGPU_EAGENT : rc;
      break;
    }
  }
  sg_allow_cancel(cancel_state);
  return rc;
}

int sg_self_reap_locked(struct sg_self *self, void *argument, struct sg_wakes *wakes) {
  struct schedgpu_reaped reaped;
  (void)argument;
  return sg_reap_locked(&self->h, wakes, &reaped);
}

/** True if what a dead process of the job seems to use could make a call wait for the turn. */
static bool takes_turns(const struct sg_region *r, const struct sg_client *record) {
  uint32_t job = sg_client_job(r, record);
  return job != SG_NONE && sg_is_lane_job(r, job);
}

/** Call with the mutex. */
static bool scan(const struct sg_self *self, bool job_at_least) {
  const struct sg_client *record = atomic_load(&self->record);
  if (!record || self->link.on)
    return false;
  if (sg_dead_scan_due(self->h.r, sg_now_ns(), 0) && sg_dead_scan(&self->h))
    return true;
  bool looks_at_job = job_at_least || takes_turns(self->h.r, record);
  return looks_at_job && sg_dead_scan_job(&self->h, record->job);
}

bool sg_self_reap(struct sg_self *self, bool job_at_least, struct sg_lock_timeout *timeout) {
  int cancel_state = sg_forbid_cancel();
  pthread_mutex_lock(&self->mutex);
  bool found = scan(self, job_at_least);
  pthread_mutex_unlock(&self->mutex);
  if (found)
    found = sg_self_do(self, timeout, sg_self_reap_locked, NULL) == SCHEDGPU_OK;
  sg_allow_cancel(cancel_state);
  return found;
}

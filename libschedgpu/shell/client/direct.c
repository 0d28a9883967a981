/* direct.c - the operations of a client that works in the region itself, under its lock. */
#include "operations.h"
#include "../../core/lanes/lanes.h"

/* --- attaching --- */

static int open_region(struct sg_self *self, const char *run_dir, int refused) {
  (void)refused;
  int rc = sg_reopen(&self->h, run_dir);
  return rc == SCHEDGPU_OK && !self->h.writable ? SCHEDGPU_EPERM : rc;
}

static int attach(struct sg_self *self, const char *run_dir, const struct sg_job_key *key,
                  int64_t timeout_ns, struct sg_joined *joined, struct sg_client **record) {
  (void)run_dir;
  int rc = sg_attach_slot(&self->h, SG_FIRST_CLIENT, SG_SLOTS, key, timeout_ns, joined);
  if (rc == SCHEDGPU_OK)
    *record = &self->h.r->client[self->h.slot];
  return rc;
}

static int leave_region(struct sg_self *self, void *argument, struct sg_wakes *wakes) {
  (void)argument;
  atomic_store(&self->record, NULL);
  sg_client_remove(self->h.r, self->h.slot, sg_now_ns(), wakes);
  return SCHEDGPU_OK; /* the slot is released after the unlock, in run() */
}

static int detach(struct sg_self *self) {
  struct sg_lock_timeout timeout = SG_NO_LOCK_TIMEOUT;
  int rc = sg_self_do(self, &timeout, leave_region, NULL);
  return rc == SCHEDGPU_ENOJOB ? SCHEDGPU_OK : rc; /* it was detached meanwhile */
}

/* --- transitions --- */

/** Copies the record into the backup. Call with the lock after every change. */
static void note_all(struct sg_self *self) {
  const struct sg_client *record = atomic_load(&self->record);
  for (uint32_t d = 0; record && d < SCHEDGPU_MAX_DEVICES; d++) {
    sg_self_note(self, record, d);
    self->backup.contexts[d] = record->contexts[d];
  }
}

/** Restores the record. The backup is exact only while no thread is inside. */
static int restore_record(struct sg_self *self, struct sg_wakes *wakes) {
  atomic_store(&self->paused, 1);
  sg_readers_wait(&self->readers);
  int rc = sg_restore_own_record(&self->h, &self->backup, &self->repairs, wakes);
  atomic_store(&self->paused, 0);
  return rc;
}

static int run(struct sg_self *self, int64_t timeout_ns, sg_transition transition, void *argument) {
  struct sg_wakes wakes;
  sg_wakes_clear(&wakes);
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

/** True if what a dead process of the job seems to use could make a call wait for the turn. */
static bool takes_turns(const struct sg_region *r, const struct sg_client *record) {
  uint32_t job = sg_client_job(r, record);
  return job != SG_NONE && sg_is_lane_job(r, job);
}

static bool find_dead(const struct sg_self *self, bool job_at_least) {
  const struct sg_client *record = atomic_load(&self->record);
  if (sg_dead_scan_due(self->h.r, sg_now_ns(), 0) && sg_dead_scan(&self->h))
    return true;
  bool looks_at_job = job_at_least || takes_turns(self->h.r, record);
  return looks_at_job && sg_dead_scan_job(&self->h, record->job);
}

static bool has_job(const struct sg_self *self) {
  return sg_client_job(self->h.r, &self->h.r->client[self->h.slot]) != SG_NONE;
}

/* --- requests --- */

static int ask(struct sg_self *self, const struct sg_request *request, bool in_turn,
               struct sg_wait *wait, struct sg_wakes *wakes) {
  struct sg_region *r = self->h.r;
  int rc = sg_ask(r, request, sg_now_ns(), &wait->waiter, wakes);
  if (rc == SCHEDGPU_EBUSY && in_turn) { /* left over from a wait that could not be settled */
    sg_client_leave_queue(r, self->h.slot, sg_now_ns(), wakes);
    rc = sg_ask(r, request, sg_now_ns(), &wait->waiter, wakes);
  }
  if (wait->waiter != SG_NONE)
    wait->ticket = r->waiter[wait->waiter].ticket;
  return rc;
}

static int wait_in_queue(struct sg_self *self, struct sg_wait *wait,
                         struct sg_lock_timeout *timeout) {
  return sg_queue_wait(self, wait, timeout);
}

/* --- turns --- */

static struct sg_lane *lane_of(const struct sg_self *self, uint32_t lane) {
  return &self->h.r->lane[lane];
}

static int wait_for_turn(struct sg_self *self, struct sg_wait *wait,
                         struct sg_lock_timeout *timeout) {
  return sg_self_wait_for_turn(self, wait, timeout);
}

/** Another thread may have begun an iteration meanwhile: it is not ended again. */
static int give_turn(struct sg_self *self, void *unused, struct sg_wakes *wakes) {
  (void)unused;
  return sg_turn_hand_over(self->h.r, self->h.slot, sg_now_ns(), wakes);
}

static int hand_over(struct sg_self *self) {
  struct sg_lock_timeout timeout = SG_NO_LOCK_TIMEOUT;
  return sg_self_do(self, &timeout, give_turn, NULL);
}

/** OK if the first waiter comes before this process. */
static int check_due(struct sg_self *self, void *unused, struct sg_wakes *wakes) {
  const struct sg_region *r = self->h.r;
  uint64_t now_ns = sg_now_ns();
  uint32_t lane = sg_lane_of(r, self->h.slot);
  (void)unused, (void)wakes;
  if (lane == SG_NONE || sg_turn_holder(r, lane) != self->h.slot)
    return SCHEDGPU_ETURN;
  uint32_t first = sg_first_for_turn(r, lane, now_ns);
  bool due = first != SG_NONE && sg_turn_before_holder(r, first, self->h.slot, now_ns);
  return due ? SCHEDGPU_OK : SCHEDGPU_ETURN;
}

static bool turn_is_due(struct sg_self *self) {
  struct sg_lock_timeout little = {.give_up_ns = 0, .reported = true};
  return sg_self_do(self, &little, check_due, NULL) == SCHEDGPU_OK;
}

/* --- memory --- */

struct giving {
  uint32_t device;
  uint64_t bytes;
};

static int give(struct sg_self *self, void *argument, struct sg_wakes *wakes) {
  const struct giving *g = argument;
  return sg_give_back(self->h.r, self->h.slot, g->device, g->bytes, sg_now_ns(), wakes);
}

static int give_back(struct sg_self *self, uint32_t device, uint64_t bytes) {
  struct sg_lock_timeout timeout = SG_NO_LOCK_TIMEOUT;
  struct giving giving = {device, bytes};
  return sg_self_do(self, &timeout, give, &giving);
}

static int leave_last(struct sg_self *self, void *device, struct sg_wakes *wakes) {
  uint32_t d = *(uint32_t *)device;
  if (self->context_depth[d] == 0)
    return SCHEDGPU_EUNDERFLOW;
  if (--self->context_depth[d] > 0)
    return SCHEDGPU_OK;
  int rc = sg_context_leave(self->h.r, self->h.slot, d, sg_now_ns(), wakes);
  /* a device without context overhead has nothing to free */
  bool nothing = rc == SCHEDGPU_EUNDERFLOW && self->h.r->device[d].context_bytes == 0;
  return nothing ? SCHEDGPU_OK : rc;
}

static int leave_context(struct sg_self *self, uint32_t device) {
  struct sg_lock_timeout timeout = SG_NO_LOCK_TIMEOUT;
  return sg_self_do(self, &timeout, leave_last, &device);
}

/* --- others that wait --- */

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

static bool others_wait(const struct sg_self *self) {
  return any_waiter(self->h.r, self->h.r->job[self->job].device_mask);
}

static int serve_waiters(struct sg_self *self, void *argument, struct sg_wakes *wakes) {
  (void)argument;
  sg_serve(self->h.r, sg_now_ns(), wakes);
  return SCHEDGPU_OK;
}

static int serve(struct sg_self *self) {
  struct sg_lock_timeout timeout = SG_NO_LOCK_TIMEOUT;
  int rc = sg_self_do(self, &timeout, serve_waiters, NULL);
  return rc == SCHEDGPU_ENOJOB ? SCHEDGPU_OK
                               : rc; /* the thread that detached has served the waiters */
}

/** The end of its job reads the record. */
static void refused(struct sg_self *self) {
  (void)self;
}

/* --- questions --- */

/**
 * Reaps dead processes of the own job, so that their use is not reported. Does not wait, because an
 * observer may have called.
 */
static void reap_dead_siblings(struct sg_self *self) {
  struct sg_lock_timeout none = {.give_up_ns = 0, .reported = true};
  sg_self_reap(self, false, &none);
}

/**
 * True if the record of a job is damaged, so that root has to restore it. Read without the lock, so
 * the job may be ending.
 */
static bool job_damaged(const struct sg_region *r, uint32_t index) {
  return index < SCHEDGPU_MAX_JOBS && r->job[index].state != SG_ENDING && !sg_job_ended(r, index);
}

static int query(struct sg_self *self, uint32_t d, struct schedgpu_info *info) {
  const struct sg_client *record = atomic_load(&self->record);
  if (!record)
    return SCHEDGPU_EDEVICE;
  const struct sg_region *r = self->h.r;
  uint32_t index = record->job;
  if (!sg_job_active(r, index))
    return job_damaged(r, index) ? SCHEDGPU_ECORRUPT : SCHEDGPU_ENOJOB;
  const struct sg_job *job = &r->job[index];
  uint64_t own = sg_in_use(atomic_load(&record->lease[d])) * SG_UNIT_BYTES;
  uint64_t contexts = sg_context_cost(r, index, d), declared = sg_admission_bytes(r, index, d);
  if (sg_job_in_use(r, index, d) > own)
    reap_dead_siblings(self);
  *info = (struct schedgpu_info){.total_bytes = sg_usable(&r->device[d]),
                                 .budget_bytes = sg_own_budget(r, self->job, d),
                                 .job_used_bytes = sg_job_in_use(r, index, d),
                                 .own_used_bytes = own,
                                 .context_bytes = r->device[d].context_bytes,
                                 .mode = job->mode,
                                 .priority = job->priority,
                                 .job_id = job->id,
                                 .job_context_bytes = contexts > declared ? contexts : declared};
  return SCHEDGPU_OK;
}

static int holders(struct sg_self *self, uint32_t device, char *text, size_t size) {
  sg_holders_describe(self, device, text, size);
  return SCHEDGPU_OK;
}

const struct sg_operations sg_direct = {.open = open_region,
                                        .attach = attach,
                                        .detach = detach,
                                        .run = run,
                                        .no_lock = SCHEDGPU_ELOCK,
                                        .find_dead = find_dead,
                                        .has_job = has_job,
                                        .ask = ask,
                                        .wait = wait_in_queue,
                                        .lane = lane_of,
                                        .wait_for_turn = wait_for_turn,
                                        .hand_over = hand_over,
                                        .turn_is_due = turn_is_due,
                                        .give_back = give_back,
                                        .leave_context = leave_context,
                                        .others_wait = others_wait,
                                        .serve = serve,
                                        .refused = refused,
                                        .query = query,
                                        .holders = holders};

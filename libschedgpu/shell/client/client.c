/*
 * client.c - the functions of schedgpu.h that reserve and release. Each takes the lock-free path of
 * client_budget.c if it can; else it asks, waits if the request was queued, and settles it
 * (operations.h).
 */
#include "operations.h"
#include "growing.h"
#include "../../core/history/history.h"
#include "../../core/lanes/lanes.h"
#include <string.h>

static uint64_t deadline_after(int64_t timeout_ns, uint64_t now_ns) {
  if (timeout_ns < 0 || (uint64_t)timeout_ns >= UINT64_MAX - now_ns)
    return SG_NO_DEADLINE;
  return now_ns + (uint64_t)timeout_ns;
}

enum subject { MEMORY, CONTEXT, GATE };

/** A request; `wait.waiter` is SG_NONE unless it was queued. */
struct question {
  enum subject subject;
  uint64_t bytes;
  bool may_wait;
  bool in_turn; /**< no other thread of this process waits */
  struct sg_wait wait;
};

static int ask_locked(struct sg_self *self, void *argument, struct sg_wakes *wakes) {
  struct question *q = argument;
  uint32_t device = sg_self_device(self, q->wait.ordinal);
  if (device == SG_NONE)
    return SCHEDGPU_EDEVICE;
  struct sg_request request = {.client = self->h.slot,
                               .device = device,
                               .bytes = q->bytes,
                               .context = q->subject == CONTEXT,
                               .gate = q->subject == GATE,
                               .may_wait = q->may_wait,
                               .deadline_ns = q->wait.deadline_ns};
  q->wait.region = self->h.r;
  return sg_operations_of(self)->ask(self, &request, q->in_turn, &q->wait, wakes);
}

/** True if the request was lost by damage, repaired or not, and not because the job ended. */
static bool wait_was_lost(struct sg_self *self, const struct question *q,
                          struct sg_lock_timeout *timeout) {
  return self->h.r == q->wait.region && sg_self_has_job(self, timeout);
}

/** Leaves the line for the turn, or has it now. */
static void leave_turn(struct sg_self *self, const struct sg_wait *wait,
                       struct sg_lock_timeout *timeout) {
  struct sg_wait over = *wait;
  over.deadline_ns = 0;
  sg_operations_of(self)->wait_for_turn(self, &over, timeout);
}

/** Before a wait. True if a dead client was found, without which the turn may not be needed. */
static bool asks_again(struct sg_self *self, const struct question *q, int rc,
                       struct sg_lock_timeout *timeout) {
  if (!sg_self_reap(self, false, timeout) || rc != SCHEDGPU_ETURN)
    return false; /* a queued request was served then, if it could be */
  leave_turn(self, &q->wait, timeout);
  return true;
}

static int ask(struct sg_self *self, struct question *q, struct sg_lock_timeout *timeout) {
  for (bool first = true;; first = false) {
    q->wait.waiter = SG_NONE;
    q->wait.lost = false;
    int rc = sg_self_do(self, timeout, ask_locked, q);
    /* busy: the call would have to wait until no other thread waits */
    if (rc == SCHEDGPU_EBUSY || (rc == SCHEDGPU_ETURN && !q->may_wait))
      return SCHEDGPU_EWOULDBLOCK;
    if (q->wait.waiter == SG_NONE && rc != SCHEDGPU_ETURN)
      return rc;
    if (first && asks_again(self, q, rc, timeout))
      continue;
    if (q->wait.waiter != SG_NONE)
      rc = sg_operations_of(self)->wait(self, &q->wait, timeout);
    bool for_turn = rc == SCHEDGPU_ETURN;
    if (for_turn)
      rc = sg_operations_of(self)->wait_for_turn(self, &q->wait, timeout);
    if (for_turn && rc == SCHEDGPU_OK)
      continue; /* it has the turn, and asks again for what it wanted */
    if (rc != SCHEDGPU_ENOJOB || !(q->wait.lost || wait_was_lost(self, q, timeout)))
      return rc;
  }
}

/** True for an answer that what a dead client holds may have caused. */
static bool dead_may_cause(int rc) {
  return rc == SCHEDGPU_EWOULDBLOCK || rc == SCHEDGPU_EBUDGET || rc == SCHEDGPU_EFULL ||
         rc == SCHEDGPU_ETOOBIG || rc == SCHEDGPU_EDEADLOCK;
}

/**
 * Asks again after reaping. Because of a dead process of its own job a call is never refused for
 * good, even if another process has just scanned.
 */
static int ask_and_reap(struct sg_self *self, struct question *q, struct sg_lock_timeout *timeout) {
  int rc = ask(self, q, timeout);
  if (!dead_may_cause(rc) || !sg_self_reap(self, sg_is_refusal(rc), timeout))
    return rc;
  return ask(self, q, timeout);
}

static int ask_in_turn(struct sg_self *self, struct question *q, struct sg_lock_timeout *timeout) {
  q->in_turn = true;
  int rc = ask_and_reap(self, q, timeout);
  sg_thread_leave(self);
  return rc;
}

/**
 * A call that may wait is one request, which is queued once. While another thread of the process
 * waits, it first tries without a wait: what it asks for may be free.
 */
static int ask_and_wait(struct sg_self *self, struct question *q, struct sg_lock_timeout *timeout) {
  if (sg_thread_try_enter(self))
    return ask_in_turn(self, q, timeout);
  struct question first = *q;
  first.may_wait = false;
  int rc = ask_and_reap(self, &first, timeout);
  if (rc != SCHEDGPU_EWOULDBLOCK)
    return rc;
  if (!sg_thread_enter(self, q->wait.deadline_ns))
    return SCHEDGPU_ETIMEDOUT;
  return ask_in_turn(self, q, timeout);
}

/** A complete request on the path with the lock. */
__attribute__((noinline)) static int request(struct sg_self *self, int ordinal,
                                             enum subject subject, uint64_t bytes,
                                             int64_t timeout_ns) {
  int cancel_state = sg_forbid_cancel();
  uint64_t start_ns = sg_now_ns();
  struct sg_lock_timeout timeout = {.give_up_ns = deadline_after(timeout_ns, start_ns)};
  int rc = sg_self_attach(self, &timeout);
  if (rc == SCHEDGPU_OK) {
    if (timeout_ns == SCHEDGPU_JOB_WAIT)
      timeout_ns = self->h.r->job[self->job].wait_ns;
    timeout.give_up_ns = deadline_after(timeout_ns, start_ns);
    struct question q = {.subject = subject,
                         .bytes = bytes,
                         .may_wait = timeout_ns != SCHEDGPU_NO_WAIT,
                         .wait = {.ordinal = ordinal, .deadline_ns = timeout.give_up_ns}};
    rc = q.may_wait ? ask_and_wait(self, &q, &timeout) : ask_and_reap(self, &q, &timeout);
  }
  sg_allow_cancel(cancel_state);
  return rc;
}

/**
 * Counts a refusal, unless the process is detached: its job has ended, or another thread detached.
 */
static void count_refusal(struct sg_self *self, uint64_t bytes) {
  struct sg_client *record = sg_self_enter(self);
  if (record)
    sg_refusal_mark(record, bytes);
  sg_self_exit(self);
  if (record)
    sg_operations_of(self)->refused(self);
}

void sg_count_refusal(uint64_t bytes) {
  struct sg_self *self = sg_self();
  if (self)
    count_refusal(self, bytes);
}

__attribute__((noinline)) static int reserve_slowly(struct sg_self *self, int ordinal,
                                                    uint64_t bytes, int64_t timeout_ns) {
  int rc = request(self, ordinal, MEMORY, bytes, timeout_ns);
  if (sg_is_refusal(rc))
    count_refusal(self, bytes);
  return rc;
}

int schedgpu_reserve(int device, uint64_t bytes, int64_t timeout_ns) {
  if (timeout_ns < SCHEDGPU_JOB_WAIT)
    return SCHEDGPU_EINVAL;
  struct sg_self *self = sg_self();
  if (!self)
    return SCHEDGPU_ESYSTEM;
  if (sg_budget_take(self, device, bytes))
    return SCHEDGPU_OK;
  return reserve_slowly(self, device, bytes, timeout_ns);
}

int schedgpu_try_reserve(int device, uint64_t bytes) {
  struct sg_self *self = sg_self();
  if (!self)
    return SCHEDGPU_ESYSTEM;
  return sg_budget_take(self, device, bytes)
             ? SCHEDGPU_OK
             : request(self, device, MEMORY, bytes, SCHEDGPU_NO_WAIT);
}

/** The part that the lease did not suffice for. */
__attribute__((noinline)) static int ask_as(struct sg_self *self, int device, uint64_t bytes,
                                            enum sg_asking asking) {
  if (asking == SG_ASK_NOT)
    return SCHEDGPU_EBUDGET;
  return asking == SG_ASK_ONCE ? request(self, device, MEMORY, bytes, SCHEDGPU_NO_WAIT)
                               : reserve_slowly(self, device, bytes, SCHEDGPU_JOB_WAIT);
}

int sg_reserve_as(int device, uint64_t bytes, enum sg_asking (*asking)(int device, uint64_t bytes),
                  bool *waited) {
  *waited = true;
  struct sg_self *self = sg_self();
  if (!self)
    return SCHEDGPU_ESYSTEM;
  if (__builtin_expect(sg_budget_take(self, device, bytes), 1))
    return SCHEDGPU_OK;
  enum sg_asking how = asking(device, bytes);
  *waited = how == SG_ASK_AND_WAIT;
  return ask_as(self, device, bytes, how);
}

int schedgpu_gate(int64_t timeout_ns) {
  if (timeout_ns < SCHEDGPU_JOB_WAIT)
    return SCHEDGPU_EINVAL;
  struct sg_self *self = sg_self();
  /* any device: the budget is reserved on all of them at once */
  return self ? request(self, 0, GATE, 0, timeout_ns) : SCHEDGPU_ESYSTEM;
}

int sg_request_turn(struct sg_self *self, int ordinal, int64_t timeout_ns) {
  return request(self, ordinal, GATE, 0, timeout_ns);
}

int schedgpu_release(int device, uint64_t bytes) {
  struct sg_self *self = sg_self();
  struct sg_client *record = self ? atomic_load(&self->record) : NULL;
  if (!record)
    return SCHEDGPU_EUNDERFLOW; /* a detached process holds nothing */
  uint32_t d = sg_self_device(self, device);
  if (d >= SCHEDGPU_MAX_DEVICES)
    return SCHEDGPU_EDEVICE;
  if (self->whole)
    return sg_budget_give(self, d, bytes);
  return sg_operations_of(self)->give_back(self, d, bytes);
}

/**
 * Adds `by` (1 or -1) to the users of a context that stays as it is. False if the region must be
 * asked first.
 */
static bool count_user(struct sg_self *self, uint32_t device, int by, uint32_t at_least) {
  pthread_mutex_lock(&self->mutex);
  bool counted = self->context_depth[device] >= at_least;
  if (counted)
    self->context_depth[device] += (uint32_t)by;
  pthread_mutex_unlock(&self->mutex);
  return counted;
}

/**
 * Enters the context of the first thread, which asks and is charged. Other threads of this device
 * wait for it.
 */
static int enter_first(struct sg_self *self, int ordinal, uint32_t device, int64_t timeout_ns) {
  pthread_mutex_lock(&self->context_mutex[device]);
  int rc = SCHEDGPU_OK;
  if (!count_user(self, device, 1, 1)) {
    rc = request(self, ordinal, CONTEXT, 0, timeout_ns);
    if (rc == SCHEDGPU_OK)
      count_user(self, device, 1, 0);
  }
  pthread_mutex_unlock(&self->context_mutex[device]);
  return rc;
}

int schedgpu_context_enter(int device, int64_t timeout_ns) {
  if (timeout_ns < SCHEDGPU_JOB_WAIT)
    return SCHEDGPU_EINVAL;
  struct sg_self *self = sg_self();
  if (!self)
    return SCHEDGPU_ESYSTEM;
  int cancel_state = sg_forbid_cancel();
  struct sg_lock_timeout timeout = {.give_up_ns = deadline_after(timeout_ns, sg_now_ns())};
  int rc = sg_self_attach(self, &timeout);
  uint32_t d = rc == SCHEDGPU_OK ? sg_self_device(self, device) : SG_NONE;
  if (rc == SCHEDGPU_OK && d >= SCHEDGPU_MAX_DEVICES)
    rc = SCHEDGPU_EDEVICE;
  if (rc == SCHEDGPU_OK && !count_user(self, d, 1, 1))
    rc = enter_first(self, device, d, timeout_ns);
  sg_allow_cancel(cancel_state);
  return rc;
}

int schedgpu_context_leave(int device) {
  struct sg_self *self = sg_self();
  if (!self || !atomic_load(&self->record))
    return SCHEDGPU_EUNDERFLOW;
  uint32_t d = sg_self_device(self, device);
  if (d >= SCHEDGPU_MAX_DEVICES)
    return SCHEDGPU_EDEVICE;
  return count_user(self, d, -1, 2) ? SCHEDGPU_OK : sg_operations_of(self)->leave_context(self, d);
}

int schedgpu_query(int device, struct schedgpu_info *info) {
  int rc = schedgpu_attach();
  if (rc != SCHEDGPU_OK)
    return rc;
  struct sg_self *self = sg_self();
  const struct sg_client *record = atomic_load(&self->record);
  uint32_t d = sg_self_device(self, device);
  if (!record || d >= SCHEDGPU_MAX_DEVICES)
    return SCHEDGPU_EDEVICE;
  return sg_operations_of(self)->query(self, d, info);
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

int schedgpu_holders(int device, char *text, size_t size) {
  struct sg_self *self = sg_self();
  const struct sg_client *record = self ? atomic_load(&self->record) : NULL;
  if (!text || size == 0)
    return SCHEDGPU_EINVAL;
  text[0] = '\0';
  if (!record)
    return SCHEDGPU_ENOJOB;
  if (device < 0 || (uint32_t)device >= self->ordinals.count)
    return SCHEDGPU_EDEVICE;
  return sg_operations_of(self)->holders(self, self->ordinals.device[device], text, size);
}

/*
 * client_state.c - attaches and detaches this process. A forked child starts detached and inherits
 * nothing.
 */
#include "client.h"
#include "client_lock.h"
#include "identity.h"
#include "notice.h"
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/** Time-out of the message that tells the agent of a detach. */
#define DETACH_NS UINT64_C(1000000000)

static struct sg_self *_Atomic self_page;

static void forget_in_child(void) {
  struct sg_self *self = atomic_load(&self_page);
  if (self)
    memset(self, 0, sizeof *self);
}

__attribute__((noinline, cold)) static struct sg_self *new_page(void) {
  size_t size = (sizeof(struct sg_self) + 4095) / 4096 * 4096;
  void *page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED)
    return NULL;
  struct sg_self *expected = NULL;
  bool wipes = madvise(page, size, MADV_WIPEONFORK) == 0;
  if (!atomic_compare_exchange_strong(&self_page, &expected, page)) {
    munmap(page, size);
    return expected;
  }
  if (!wipes) /* Linux before 4.14 */
    pthread_atfork(NULL, NULL, forget_in_child);
  return page;
}

struct sg_self *sg_self(void) {
  struct sg_self *self = atomic_load_explicit(&self_page, memory_order_acquire);
  return self ? self : new_page();
}

static int open_and_attach(struct sg_self *self, int64_t timeout_ns, struct sg_job_key *key,
                           struct sg_joined *joined) {
  const char *run_dir = sg_identity_run_dir();
  if (*run_dir != '/') /* it is opened again later, when the program may have changed its folder */
    return SCHEDGPU_EINVAL;
  int rc = sg_reopen(&self->h, run_dir);
  if (rc == SCHEDGPU_OK && !self->h.writable)
    rc = SCHEDGPU_EPERM;
  bool elsewhere =
      ((rc == SCHEDGPU_EPERM || rc == SCHEDGPU_ENOREGION) && sg_link_exists(run_dir)) ||
      (rc == SCHEDGPU_EPERM && sg_link_expected(run_dir));
  if (rc == SCHEDGPU_OK || elsewhere)
    rc = sg_identity_key(key);
  if (rc != SCHEDGPU_OK)
    return rc;
  if (elsewhere) /* only the agent may write it, or it is in another IPC namespace */
    return sg_link_attach(self, run_dir, key, timeout_ns, joined);
  self->link.on = false;
  return sg_attach_slot(&self->h, SG_FIRST_CLIENT, SG_SLOTS, key, timeout_ns, joined);
}

static int attach_locked(struct sg_self *self, int64_t timeout_ns) {
  if (atomic_load(&self->record))
    return SCHEDGPU_OK;
  struct sg_job_key key;
  struct sg_joined joined;
  int rc = open_and_attach(self, timeout_ns, &key, &joined);
  if (rc != SCHEDGPU_OK)
    return rc;
  self->job = joined.job;
  self->whole = joined.mode != SCHEDGPU_MODE_ONDEMAND;
  memset(self->context_depth, 0, sizeof self->context_depth);
  self->backup = (struct sg_backup){.kind = key.kind, .id = key.id, .begun_ns = joined.begun_ns};
  self->repairs = atomic_load(&self->h.r->h.repairs);
  sg_ordinals_fill(&self->ordinals, self->h.r, sg_identity_devices(), joined.device_mask);
  atomic_store(&self->record,
               self->link.on ? &self->link.page->client : &self->h.r->client[self->h.slot]);
  return SCHEDGPU_OK;
}

int sg_self_attach(struct sg_self *self, struct sg_lock_timeout *timeout) {
  int rc = SCHEDGPU_OK, cancel_state = sg_forbid_cancel();
  while (!atomic_load(&self->record)) {
    pthread_mutex_lock(&self->mutex);
    rc = attach_locked(self, sg_lock_timeout_left(timeout));
    int32_t holder = self->h.lock_holder;
    pthread_mutex_unlock(&self->mutex);
    if (rc != SCHEDGPU_ELOCK || !sg_lock_timeout_continues(timeout, holder))
      break;
  }
  sg_allow_cancel(cancel_state);
  return rc;
}

int schedgpu_attach(void) {
  struct sg_self *self = sg_self();
  if (!self)
    return SCHEDGPU_ESYSTEM;
  struct sg_lock_timeout timeout = SG_NO_LOCK_TIMEOUT;
  if (sg_notice_in_observer()) /* the observer may be called because of the lock that is needed here
                                */
    timeout = (struct sg_lock_timeout){.give_up_ns = 0, .reported = true};
  return sg_self_attach(self, &timeout);
}

int schedgpu_is_attached(void) {
  struct sg_self *self = atomic_load(&self_page);
  return self && atomic_load(&self->record) != NULL;
}

static int detach(struct sg_self *self, void *argument, struct sg_wakes *wakes) {
  (void)argument;
  atomic_store(&self->record, NULL);
  sg_client_remove(self->h.r, self->h.slot, sg_now_ns(), wakes);
  return SCHEDGPU_OK; /* the slot is released after the unlock, in sg_self_do() */
}

/** Detaches a broker client. If the agent does not do it, the unmapped liveness file does. */
static int detach_from_agent(struct sg_self *self) {
  pthread_mutex_lock(&self->mutex);
  if (self->link.on) {
    atomic_store(&self->record, NULL);
    sg_readers_wait(&self->readers);
    self->link.deadline_ns = sg_now_ns() + DETACH_NS;
    sg_link_detach(self);
  }
  pthread_mutex_unlock(&self->mutex);
  return SCHEDGPU_OK;
}

int schedgpu_detach(void) {
  struct sg_self *self = sg_self();
  if (!self)
    return SCHEDGPU_ESYSTEM;
  if (self->link.on)
    return detach_from_agent(self);
  struct sg_lock_timeout timeout = SG_NO_LOCK_TIMEOUT;
  int rc = sg_self_do(self, &timeout, detach, NULL);
  return rc == SCHEDGPU_ENOJOB ? SCHEDGPU_OK : rc; /* it was detached meanwhile */
}

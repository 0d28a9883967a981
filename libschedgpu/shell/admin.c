/* admin.c - the calls of admin.h. */
#include "attach.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEFAULT_TIMEOUT_NS INT64_C(5000000000)
#define SNAPSHOT_TRIES 200

struct schedgpu_admin {
  struct sg_handle h;
  int64_t timeout_ns;
};

/** Root has slots of its own: a table full of clients never locks the administrator out. */
static int enter(schedgpu_admin *a) {
  int rc = SCHEDGPU_OK;
  if (a->h.slot == SG_NONE && geteuid() == 0)
    rc = sg_attach_slot(&a->h, SCHEDGPU_MAX_CLIENTS, SG_SLOTS, NULL, a->timeout_ns, NULL);
  if (a->h.slot == SG_NONE && (rc == SCHEDGPU_OK || rc == SCHEDGPU_EFULL))
    rc = sg_attach_slot(&a->h, 0, SCHEDGPU_MAX_CLIENTS, NULL, a->timeout_ns, NULL);
  return rc == SCHEDGPU_OK ? sg_lock(&a->h, a->timeout_ns) : rc;
}

int schedgpu_admin_open(const char *run_dir, schedgpu_admin **admin) {
  *admin = NULL;
  schedgpu_admin *a = calloc(1, sizeof *a);
  if (!a)
    return SCHEDGPU_ESYSTEM;
  a->timeout_ns = DEFAULT_TIMEOUT_NS;
  int rc = sg_open(&a->h, run_dir);
  if (rc != SCHEDGPU_OK) {
    free(a);
    return rc;
  }
  *admin = a;
  return SCHEDGPU_OK;
}

void schedgpu_admin_close(schedgpu_admin *a) {
  if (!a)
    return;
  if (a->h.slot != SG_NONE && sg_lock(&a->h, a->timeout_ns) == SCHEDGPU_OK) {
    struct sg_wakes wakes;
    wakes.count = 0; /* not the 2 KiB behind it */
    sg_client_remove(a->h.r, a->h.slot, sg_now_ns(), &wakes);
    sg_unlock_and_wake(&a->h, &wakes);
  }
  sg_close(&a->h);
  free(a);
}

void schedgpu_admin_set_timeout(schedgpu_admin *a, int64_t timeout_ns) {
  a->timeout_ns = timeout_ns;
}

int32_t schedgpu_admin_lock_holder(const schedgpu_admin *a, char *state) {
  if (state)
    *state = a->h.lock_holder ? sg_proc_state(a->h.lock_holder) : '?';
  return a->h.lock_holder;
}

int schedgpu_admin_setup(const char *run_dir, const struct schedgpu_setup *setup) {
  schedgpu_admin *a;
  int rc = schedgpu_admin_open(run_dir, &a);
  if (rc == SCHEDGPU_ENOREGION) {
    rc = sg_create(run_dir, setup);
    if (rc == SCHEDGPU_OK)
      rc = schedgpu_admin_open(run_dir, &a);
  }
  if (rc != SCHEDGPU_OK)
    return rc;
  rc = enter(a);
  if (rc == SCHEDGPU_OK) {
    struct sg_wakes wakes;
    wakes.count = 0; /* not the 2 KiB behind it */
    rc = sg_region_update(a->h.r, setup);
    sg_serve(a->h.r, sg_now_ns(), &wakes);
    sg_unlock_and_wake(&a->h, &wakes);
  }
  schedgpu_admin_close(a);
  return rc;
}

int schedgpu_admin_job_begin(schedgpu_admin *a, const struct schedgpu_job_spec *spec) {
  struct sg_wakes wakes;
  wakes.count = 0; /* not the 2 KiB behind it */
  int rc = enter(a);
  if (rc != SCHEDGPU_OK)
    return rc;
  uint32_t owner = spec->flags & SCHEDGPU_JOB_FLAG_OWNED ? a->h.slot : SG_NONE;
  rc = sg_job_begin(a->h.r, spec, owner, sg_now_ns(), &wakes);
  sg_unlock_and_wake(&a->h, &wakes);
  return rc;
}

int schedgpu_admin_job_end(schedgpu_admin *a, uint32_t kind, uint64_t job_id) {
  struct sg_wakes wakes;
  wakes.count = 0; /* not the 2 KiB behind it */
  int rc = enter(a);
  if (rc != SCHEDGPU_OK)
    return rc;
  rc = sg_job_end(a->h.r, sg_job_find(a->h.r, kind, job_id), sg_now_ns(), &wakes);
  sg_unlock_and_wake(&a->h, &wakes);
  return rc;
}

int schedgpu_admin_job_find(schedgpu_admin *a, uint32_t kind, uint64_t job_id,
                            struct schedgpu_job_spec *spec) {
  int rc = enter(a);
  if (rc != SCHEDGPU_OK)
    return rc;
  uint32_t j = sg_job_find(a->h.r, kind, job_id);
  if (j == SG_NONE)
    rc = SCHEDGPU_ENOJOB;
  else if (spec)
    sg_job_describe(&a->h.r->job[j], spec);
  sg_unlock(&a->h);
  return rc;
}

int schedgpu_admin_reap(schedgpu_admin *a, struct schedgpu_reaped *reaped) {
  int rc = enter(a);
  if (rc != SCHEDGPU_OK)
    return rc;
  sg_unlock(&a->h);
  return sg_reap(&a->h, a->timeout_ns, reaped);
}

int schedgpu_admin_set_policy(schedgpu_admin *a, uint32_t policy) {
  struct sg_wakes wakes;
  wakes.count = 0; /* not the 2 KiB behind it */
  int rc = enter(a);
  if (rc != SCHEDGPU_OK)
    return rc;
  rc = sg_policy_set(a->h.r, policy, sg_now_ns(), &wakes);
  sg_unlock_and_wake(&a->h, &wakes);
  return rc;
}

uint64_t schedgpu_snapshot_size(void) {
  return sizeof(struct sg_region);
}

/** Copies only records that were ever used: the rest is zero, and large. */
static void copy_region(struct sg_region *to, const struct sg_region *from) {
  to->h = from->h;
  memcpy(to->device, from->device, sizeof to->device);
  memcpy(to->job, from->job, sg_jobs_end(from) * sizeof *to->job);
  memcpy(to->client, from->client, sg_clients_end(from) * sizeof *to->client);
  memcpy(to->waiter, from->waiter, sg_waiters_end(from) * sizeof *to->waiter);
}

static bool try_copy(struct sg_region *to, const struct sg_region *from) {
  uint64_t before = atomic_load_explicit(&from->h.seq, memory_order_acquire);
  if (before & 1)
    return false;
  copy_region(to, from);
  atomic_thread_fence(memory_order_acquire);
  return atomic_load_explicit(&from->h.seq, memory_order_relaxed) == before;
}

int schedgpu_admin_snapshot(schedgpu_admin *a, void *buffer, uint64_t size) {
  if (size != sizeof(struct sg_region))
    return SCHEDGPU_EINVAL;
  memset(buffer, 0, size);
  for (int i = 0; i < SNAPSHOT_TRIES; i++)
    if (try_copy(buffer, a->h.r))
      return SCHEDGPU_OK;
  if (!a->h.writable)
    return SCHEDGPU_ELOCK;
  int rc = enter(a); /* writers never paused, or one of them is stopped */
  if (rc != SCHEDGPU_OK)
    return rc;
  copy_region(buffer, a->h.r);
  sg_unlock(&a->h);
  return SCHEDGPU_OK;
}

int schedgpu_admin_check(schedgpu_admin *a, char *text, uint64_t size) {
  int rc = enter(a);
  if (rc != SCHEDGPU_OK)
    return rc;
  rc = sg_check(a->h.r, text, size);
  sg_unlock(&a->h);
  return rc;
}

/*
 * admin.c - implements admin.h: each call opens a handle, takes the lock, runs one transition of
 * the core, and leaves.
 */
#include "../../core/lanes/lanes.h"
#include "admin_handle.h"
#include "../../core/history/history.h"
#include "../region/attach.h"
#include "../region/check.h"
#include "../region/run_dir.h"
#include "../region/segment.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define DEFAULT_TIMEOUT_NS INT64_C(5000000000)
#define SNAPSHOT_TRIES 200

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#endif

/**
 * Maps all records at once. One page fault for each page (the kernel maps those of a System V
 * segment one by one) would take as long as the work. The ring of ended jobs behind them is seldom
 * needed. An older kernel refuses.
 */
static void map_records(const schedgpu_admin *a) {
  madvise(a->h.r, offsetof(struct sg_region, ended), MADV_POPULATE_READ);
}

/**
 * Attaches in a slot of the root side, so a table full of clients never locks the administrator
 * out. Root of a user namespace may not lock these slots, and counts as a user.
 */
static int attach(schedgpu_admin *a) {
  int rc = SCHEDGPU_OK;
  if (sg_check_due(a->h.r))
    map_records(a);
  if (geteuid() == 0)
    rc = sg_attach_slot(&a->h, SG_FIRST_ADMIN, SG_FIRST_CLIENT, NULL, a->timeout_ns, NULL);
  if (a->h.slot == SG_NONE && (rc == SCHEDGPU_OK || rc == SCHEDGPU_EFULL || rc == SCHEDGPU_EPERM))
    rc = sg_attach_slot(&a->h, SG_FIRST_CLIENT, SG_SLOTS, NULL, a->timeout_ns, NULL);
  a->repairs = atomic_load(&a->h.r->h.repairs);
  return rc;
}

int sg_admin_enter(schedgpu_admin *a) {
  struct sg_wakes wakes;
  sg_wakes_clear(&wakes);
  int rc = a->h.slot == SG_NONE ? attach(a) : SCHEDGPU_OK;
  if (rc == SCHEDGPU_ECORRUPT && sg_is_owner(&a->h) &&
      sg_prepare(a->h.run_dir, NULL) == SCHEDGPU_OK)
    rc = attach(a);
  if (rc == SCHEDGPU_OK)
    rc = sg_lock(&a->h, a->timeout_ns);
  if (rc != SCHEDGPU_OK || !sg_record_needs_check(&a->h, a->repairs))
    return rc;
  rc = sg_restore_own_record(&a->h, &a->backup, &a->repairs, &wakes);
  sg_unlock_and_wake(&a->h, &wakes);
  return rc == SCHEDGPU_OK ? sg_lock(&a->h, a->timeout_ns) : rc;
}

static int check_entered(schedgpu_admin *a, struct sg_wakes *wakes) {
  struct sg_report report;
  int rc = sg_check_region(&a->h, false, &report, wakes);
  if (rc != SCHEDGPU_OK)
    sg_unlock_and_wake(&a->h, wakes);
  return rc;
}

int sg_admin_enter_and_check(schedgpu_admin *a, struct sg_wakes *wakes) {
  sg_wakes_clear(wakes);
  int rc = sg_admin_enter(a);
  return rc == SCHEDGPU_OK ? check_entered(a, wakes) : rc;
}

/**
 * Takes the lock for the begin or end of a job. Hundreds may begin and end in a second, so one of
 * them checks the whole region for all.
 */
static int enter_for_job(schedgpu_admin *a, uint32_t kind, uint64_t id, bool begins,
                         struct sg_wakes *wakes) {
  sg_wakes_clear(wakes);
  int rc = sg_admin_enter(a);
  return rc == SCHEDGPU_OK && sg_check_needed(a->h.r, kind, id, begins) ? check_entered(a, wakes)
                                                                        : rc;
}

/** Ends a transition and writes the checkpoint. */
static int leave_and_save(schedgpu_admin *a, const struct sg_wakes *wakes, int rc) {
  sg_unlock_and_wake(&a->h, wakes);
  if (rc == SCHEDGPU_OK)
    sg_checkpoint_save(&a->h);
  return rc;
}

/** Does the same for frequent transitions. */
static int leave_and_ask(schedgpu_admin *a, const struct sg_wakes *wakes, int rc) {
  sg_unlock_and_wake(&a->h, wakes);
  if (rc == SCHEDGPU_OK)
    sg_checkpoint_ask(&a->h);
  return rc;
}

int schedgpu_admin_open(const char *run_dir, schedgpu_admin **admin) {
  *admin = NULL;
  schedgpu_admin *a = calloc(1, sizeof *a);
  if (!a)
    return SCHEDGPU_ESYSTEM;
  a->timeout_ns = DEFAULT_TIMEOUT_NS;
  int rc = sg_open(&a->h, run_dir);
  if (rc == SCHEDGPU_ECORRUPT && sg_prepare(run_dir, NULL) == SCHEDGPU_OK)
    rc = sg_open(&a->h, run_dir);
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
    sg_wakes_clear(&wakes);
    sg_orphans_leave(a->h.r, a->h.slot, sg_now_ns(), &wakes);
    sg_client_remove(a->h.r, a->h.slot, sg_now_ns(), &wakes);
    sg_unlock_and_wake(&a->h, &wakes);
  }
  if (a->answers)
    close(a->answer_lock);
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
  int rc = sg_prepare(run_dir, setup);
  if (rc == SCHEDGPU_OK ||
      rc == SCHEDGPU_EPERM) /* a process that may not create the region may add devices */
    rc = schedgpu_admin_open(run_dir, &a);
  if (rc != SCHEDGPU_OK)
    return rc;
  struct sg_wakes wakes;
  rc = sg_admin_enter_and_check(a, &wakes);
  if (rc == SCHEDGPU_OK) {
    rc = sg_region_update(a->h.r, setup);
    sg_serve(a->h.r, sg_now_ns(), &wakes);
    leave_and_save(a, &wakes, SCHEDGPU_OK);
  }
  schedgpu_admin_close(a);
  return rc;
}

int schedgpu_admin_remove(const char *run_dir, int force) {
  return sg_remove(run_dir, force != 0);
}

int schedgpu_admin_job_begin(schedgpu_admin *a, const struct schedgpu_job_spec *spec) {
  struct sg_wakes wakes;
  int rc = enter_for_job(a, spec->kind, spec->job_id, true, &wakes);
  if (rc != SCHEDGPU_OK)
    return rc;
  uint32_t owner = spec->flags & SCHEDGPU_JOB_FLAG_OWNED ? a->h.slot : SG_NONE;
  struct schedgpu_reaped reaped;
  rc = sg_job_begin(a->h.r, spec, owner, sg_now_ns(), &wakes);
  if (rc == SCHEDGPU_EFULL && sg_reap_locked(&a->h, &wakes, &reaped) == SCHEDGPU_OK)
    rc = sg_job_begin(a->h.r, spec, owner, sg_now_ns(), &wakes); /* the dead had counted, too */
  return leave_and_ask(a, &wakes, rc);
}

int schedgpu_admin_job_end(schedgpu_admin *a, uint32_t kind, uint64_t job_id) {
  struct sg_wakes wakes;
  int rc = enter_for_job(a, kind, job_id, false, &wakes);
  if (rc != SCHEDGPU_OK)
    return rc;
  uint32_t j = sg_job_find(a->h.r, kind, job_id);
  rc = sg_job_end(a->h.r, j, sg_now_ns(), &wakes);
  return leave_and_ask(a, &wakes, rc);
}

int schedgpu_admin_job_find(schedgpu_admin *a, uint32_t kind, uint64_t job_id,
                            struct schedgpu_job_spec *spec) {
  int rc = sg_admin_enter(a);
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

/** A process that is attached may ask yet. */
static bool is_untouched(const struct sg_job *job) {
  uint64_t any = job->waits | job->refusals | job->clients;
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++)
    any |= job->peak_bytes[d] | job->context_peak_bytes[d];
  return any == 0;
}

void sg_copy_use(struct schedgpu_job_use *use, const struct sg_job *job) {
  *use = (struct schedgpu_job_use){
      .waited_ns = job->waited_ns, .refused_bytes = job->refused_bytes, .refusals = job->refusals};
  memcpy(use->peak_bytes, job->peak_bytes, sizeof use->peak_bytes);
  use->kept_bytes = job->kept_bytes;
  use->untouched = is_untouched(job);
  use->shares_lane = job->lane_policy != SCHEDGPU_LANE_NONE && job->shares_lane;
  if (job->lane_policy != SCHEDGPU_LANE_NONE && job->marked == 0 && job->turns != 0 &&
      job->service_ns > job->credit_ns)
    use->unmarked_s = (uint32_t)((job->service_ns - job->credit_ns) / UINT64_C(1000000000));
}

int schedgpu_admin_job_use(schedgpu_admin *a, uint32_t kind, uint64_t job_id,
                           struct schedgpu_job_use *use) {
  int rc = sg_admin_enter(a);
  if (rc != SCHEDGPU_OK)
    return rc;
  uint32_t j = sg_job_find(a->h.r, kind, job_id);
  if (j == SG_NONE)
    rc = SCHEDGPU_ENOJOB;
  else
    sg_copy_use(use, &a->h.r->job[j]);
  sg_unlock(&a->h);
  return rc;
}

int schedgpu_admin_reap(schedgpu_admin *a, struct schedgpu_reaped *reaped) {
  int rc = sg_admin_enter(a);
  if (rc != SCHEDGPU_OK)
    return rc;
  uint64_t repairs = atomic_load(&a->h.r->h.repairs);
  sg_unlock(&a->h);
  rc = sg_reap(&a->h, a->timeout_ns, reaped);
  if (rc == SCHEDGPU_OK && atomic_load(&a->h.r->h.repairs) != repairs)
    sg_checkpoint_save(&a->h);
  return rc;
}

int schedgpu_admin_answer(schedgpu_admin *a) {
  if (!a->answers && sg_is_owner(&a->h)) {
    a->answer_lock = sg_answer_lock(a->h.run_dir);
    a->answers = a->answer_lock >= 0;
  }
  int rc = a->h.slot == SG_NONE ? attach(a) : SCHEDGPU_OK;
  if (rc == SCHEDGPU_OK && !sg_checkpoint_answer(&a->h))
    rc = SCHEDGPU_ESYSTEM;
  return rc;
}

#define SCAN_EVERY_NS UINT64_C(100000000)

int schedgpu_admin_reap_if_due(schedgpu_admin *a) {
  int rc = a->h.slot == SG_NONE ? attach(a) : SCHEDGPU_OK;
  if (rc != SCHEDGPU_OK || !sg_dead_scan_due(a->h.r, sg_now_ns(), SCAN_EVERY_NS) ||
      !sg_dead_scan(&a->h))
    return rc;
  return schedgpu_admin_reap(a, NULL);
}

/* Whoever may write the region could do it himself; the command shall not do it for him. */
int schedgpu_admin_set_policy(schedgpu_admin *a, uint32_t policy) {
  if (!sg_is_owner(&a->h))
    return SCHEDGPU_EPERM;
  struct sg_wakes wakes;
  sg_wakes_clear(&wakes);
  int rc = sg_admin_enter(a);
  if (rc != SCHEDGPU_OK)
    return rc;
  sg_unseal_header(a->h.r);
  rc = sg_policy_set(a->h.r, policy, sg_now_ns(), &wakes);
  sg_seal_header(a->h.r);
  return leave_and_save(a, &wakes, rc);
}

int schedgpu_admin_note_peaks(schedgpu_admin *a) {
  if (!sg_peaks_due(a->h.r) && !sg_refusals_due(a->h.r))
    return SCHEDGPU_OK;
  int rc = sg_admin_enter(a);
  if (rc != SCHEDGPU_OK)
    return rc;
  sg_note_all_peaks(a->h.r);
  sg_note_all_refusals(a->h.r);
  sg_unlock(&a->h);
  return SCHEDGPU_OK;
}

uint64_t schedgpu_snapshot_size(void) {
  return sizeof(struct sg_region);
}

/** Copies the first `used` of `count` records and zeroes the rest, which an earlier attempt may
 * have filled. */
static void copy_table(void *to, const void *from, uint32_t used, uint32_t count, size_t stride) {
  memcpy(to, from, used * stride);
  memset((char *)to + used * stride, 0, (count - used) * stride);
}
#define COPY(table, used)                                                                          \
  copy_table(to->table, from->table, (used), sizeof to->table / sizeof *to->table,                 \
             sizeof *to->table)

/** Copies everything except ended jobs. Records are large, so only those that were ever used. */
static void copy_region(struct sg_region *to, const struct sg_region *from) {
  to->h = from->h;
  memcpy(to->device, from->device, sizeof to->device);
  COPY(job, sg_jobs_end(from));
  COPY(client, sg_clients_end(from));
  COPY(waiter, sg_clients_end(from));
  COPY(lane, sg_lanes_end(from));
  COPY(turn, sg_lanes_end(from) != 0 ? sg_clients_end(from) : 0);
}

/**
 * Copies the jobs that had ended when the rest was copied. Other jobs end meanwhile, so a copy of
 * both together would take twice as long and fail twice as often. Leaves out incomplete records,
 * and those younger than the rest.
 */
static void copy_ended(struct sg_region *to, const struct sg_region *from) {
  uint64_t last = to->h.ended; /* the order of positions, not of ages: the ring may have wrapped */
  COPY(ended, (uint32_t)(last < SG_ENDED ? last : SG_ENDED));
  for (uint32_t i = 0; i < SG_ENDED; i++) {
    uint64_t sequence = atomic_load(&to->ended[i].sequence);
    if (sequence != 0 && (sequence > last || !sg_ended_valid(&to->ended[i], i)))
      atomic_store(&to->ended[i].sequence, 0);
  }
}

static bool try_copy(struct sg_region *to, const struct sg_region *from) {
  uint64_t before = atomic_load_explicit(&from->h.seq, memory_order_acquire);
  if (before & 1)
    return false;
  copy_region(to, from);
  atomic_thread_fence(memory_order_acquire);
  return atomic_load_explicit(&from->h.seq, memory_order_relaxed) == before;
}

static int copy_complete(schedgpu_admin *a, struct sg_region *copy) {
  for (int i = 0; i < SNAPSHOT_TRIES; i++)
    if (try_copy(copy, a->h.r))
      return SCHEDGPU_OK;
  if (!a->h.writable)
    return SCHEDGPU_ELOCK;
  int rc = sg_admin_enter(a); /* writers never paused, or one of them is stopped */
  if (rc != SCHEDGPU_OK)
    return rc;
  copy_region(copy, a->h.r);
  sg_unlock(&a->h);
  return SCHEDGPU_OK;
}

/** Marks dead jobs, which perhaps no process has reaped yet. */
static void mark_dead_jobs(const struct sg_handle *h, struct sg_region *copy) {
  for (uint32_t j = 0; j < sg_jobs_end(copy) && copy->h.owned_jobs != 0; j++)
    if (sg_job_dead(h, &copy->job[j], j))
      copy->job[j].flags |= SCHEDGPU_JOB_FLAG_DEAD;
}

int schedgpu_admin_snapshot(schedgpu_admin *a, void *buffer, uint64_t size) {
  if (size != sizeof(struct sg_region))
    return SCHEDGPU_EINVAL;
  int rc = copy_complete(a, buffer);
  if (rc != SCHEDGPU_OK)
    return rc;
  copy_ended(buffer, a->h.r);
  sg_note_all_peaks(buffer); /* adds up the peaks, if no process has done so yet */
  mark_dead_jobs(&a->h, buffer);
  /* Releases the mapped pages: they would count as memory of a process that reads only now and
   * then. */
  madvise(a->h.r, sizeof *a->h.r, MADV_DONTNEED);
  return SCHEDGPU_OK;
}

int schedgpu_admin_check(schedgpu_admin *a, char *text, uint64_t size) {
  int rc = sg_admin_enter(a);
  if (rc != SCHEDGPU_OK)
    return rc;
  struct sg_report report = {0};
  sg_damage(a->h.r, &report);
  snprintf(text, size, "%s", report.text);
  rc = report.findings > 0 ? SCHEDGPU_ECORRUPT : sg_check(a->h.r, text, size);
  sg_unlock(&a->h);
  return rc;
}

static int64_t age_of(const char *dir, const char *name) {
  char path[PATH_MAX];
  struct stat st;
  struct timespec now;
  if (sg_path(path, dir, name) != SCHEDGPU_OK || lstat(path, &st) != 0)
    return -1;
  clock_gettime(CLOCK_REALTIME, &now);
  int64_t age_ns =
      (now.tv_sec - st.st_mtim.tv_sec) * INT64_C(1000000000) + (now.tv_nsec - st.st_mtim.tv_nsec);
  return age_ns > 0 ? age_ns : 0;
}

static uint32_t overcommitted(const struct sg_region *r) {
  uint32_t mask = 0;
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++)
    if (sg_device_present(r, d) && sg_granted_bytes(&r->device[d]) > sg_usable(&r->device[d]))
      mask |= 1u << d;
  return mask;
}

int schedgpu_admin_region_info(schedgpu_admin *a, struct schedgpu_region_info *info) {
  struct shmid_ds facts;
  if (!sg_segment_facts(&a->h, &facts))
    return SCHEDGPU_ESYSTEM;
  *info =
      (struct schedgpu_region_info){.shmid = a->h.shmid,
                                    .mode = facts.shm_perm.mode & 0777,
                                    .uid = facts.shm_perm.uid,
                                    .gid = facts.shm_perm.gid,
                                    .attached = facts.shm_nattch,
                                    .created_ns = a->h.r->h.created_ns,
                                    .repairs = atomic_load(&a->h.r->h.repairs),
                                    .checkpoint_age_ns = age_of(a->h.run_dir, SG_CHECKPOINT_FILE),
                                    .live_right = sg_live_files_current(&a->h),
                                    .overcommitted = overcommitted(a->h.r)};
  return SCHEDGPU_OK;
}

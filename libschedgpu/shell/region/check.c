/* check.c - checks the region and repairs it; see check.h. The rules of a repair are in the core.
 */
#include "check.h"
#include "run_dir.h"

/** Interval of checks: a check of the whole region costs as much as everything else in a hook. */
#define SCAN_EVERY_NS UINT64_C(100000000)

bool sg_sound_for(const struct sg_region *r, uint32_t job) {
  if (!sg_header_sealed(&r->h))
    return false;
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++)
    if (!sg_device_sealed(&r->device[d]))
      return false;
  return job == SG_NONE || sg_job_possible(r, job);
}

bool sg_restore_header(struct sg_region *r, const char *run_dir, uint64_t created_ns) {
  struct sg_checkpoint *c = sg_checkpoint_load(run_dir, created_ns);
  bool mended = c && sg_checkpoint_header(c, r);
  if (mended)
    atomic_fetch_add(&r->h.repairs, 1);
  sg_checkpoint_free(c);
  return mended;
}

/**
 * True if jobs have damaged records, which only the root side can restore. No other process ends
 * such jobs, whatever their states.
 */
static bool needs_checkpoint(const struct sg_region *r) {
  if (!sg_header_sealed(&r->h) && r->h.seal != 0)
    return true;
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++)
    if (!sg_device_sealed(&r->device[d]) && r->device[d].seal != 0)
      return true;
  for (uint32_t j = 0; j < SCHEDGPU_MAX_JOBS; j++)
    if (sg_job_lost(r, j) || (r->job[j].state != SG_FREE && sg_job_broken(&r->job[j])))
      return true;
  return false;
}

/**
 * Repairs from the records, else from the checkpoint. The repair is counted first: if this process
 * is killed during it, the next one may find no damage, but the other processes must still check
 * their records.
 */
static int repair(struct sg_handle *h, struct sg_report *report, struct sg_wakes *wakes) {
  if (needs_checkpoint(h->r) && !sg_is_owner(h))
    return SCHEDGPU_ECORRUPT;
  struct sg_checkpoint *c = sg_checkpoint_load(h->run_dir, h->created_ns);
  *report = (struct sg_report){0};
  atomic_fetch_add(&h->r->h.repairs, 1);
  sg_crash_point();
  int rc = sg_repair(h->r, c, report, wakes);
  sg_checkpoint_free(c);
  if (rc != SCHEDGPU_OK)
    atomic_fetch_sub(&h->r->h.repairs, 1);
  if (rc == SCHEDGPU_OK && report->findings == 0) /* a key without a job, removed by the recount */
    sg_report(report, "the keys of jobs", 0);
  return rc;
}

/** Marks jobs in state ENDING as damaged: no process was killed, so none can be ending. */
static void mark_ending_jobs_damaged(struct sg_region *r) {
  for (uint32_t j = 0; j < SCHEDGPU_MAX_JOBS; j++)
    if (r->job[j].state == SG_ENDING)
      SG_PUT(r->job[j].state, SG_ENDING + 1); /* damage.c reports this */
}

/** Finds keys that belong to a free record: the record, or the key, was damaged. */
static void find_lost_jobs(const struct sg_region *r, struct sg_report *report) {
  for (uint32_t j = 0; j < SCHEDGPU_MAX_JOBS; j++)
    if (r->h.job_key[j] != 0 && r->job[j].state == SG_FREE && !sg_job_lost(r, j))
      sg_report(report, "job", j);
}

static bool recount_differs(struct sg_region *r) {
  uint64_t sum = sg_caches_sum(r);
  sg_recount(r);
  return sg_caches_sum(r) != sum;
}

/** A separate function, so that its list is not on the stack of later calls. */
__attribute__((noinline)) static bool restore_orphans(struct sg_handle *h,
                                                      const struct sg_saved_caches *before) {
  struct sg_live_slot live[SG_SLOTS];
  uint32_t count = sg_find_unrecorded(h, live);
  return sg_orphans_keep(h->r, live, count, before, sg_now_ns());
}

/** Recounts. Wrong sums after a death are no damage; lost records are. */
static void recount(struct sg_handle *h, bool after_death, bool broken_off,
                    const struct sg_saved_caches *before, struct sg_report *report) {
  bool differs = recount_differs(h->r);
  if (differs && !after_death && report->findings == 0) {
    sg_report(report, "the sums of the region", 0);
    atomic_fetch_add(&h->r->h.repairs, 1);
  }
  bool doubtful = differs || report->findings > 0 || broken_off;
  if (doubtful && restore_orphans(h, before) && report->findings == 0)
    atomic_fetch_add(&h->r->h.repairs, 1);
}

int sg_check_region(struct sg_handle *h, bool after_death, struct sg_report *report,
                    struct sg_wakes *wakes) {
  struct sg_saved_caches before;
  *report = (struct sg_report){0};
  bool broken_off = sg_caches_save(h->r, &before);
  if (!after_death) {
    mark_ending_jobs_damaged(h->r);
    find_lost_jobs(h->r, report);
  }
  sg_damage(h->r, report);
  if (report->findings > 0) {
    int rc = repair(h, report, wakes);
    if (rc != SCHEDGPU_OK) {
      if (after_death)
        sg_caches_hold(h->r, &before);
      else if (!broken_off)
        sg_caches_forget(h->r); /* nothing was recounted: the sums still include the memory */
      return rc;
    }
  }
  recount(h, after_death, broken_off, &before, report);
  sg_caches_forget(h->r);
  if (report->findings > 0 || after_death)
    sg_repair_finish(h->r, sg_now_ns(), report, wakes);
  if (sg_is_owner(h)) /* only the owner can restore what is in the checkpoint */
    atomic_store(&h->r->h.checked_ns, sg_now_ns());
  return SCHEDGPU_OK;
}

bool sg_check_due(const struct sg_region *r) {
  uint64_t last_ns = atomic_load(&r->h.checked_ns), now_ns = sg_now_ns();
  return last_ns > now_ns || now_ns - last_ns >= SCAN_EVERY_NS;
}

/** True if the job's record is sound, or if the region is sound and has no such job. */
static bool record_sound(const struct sg_region *r, uint32_t kind, uint64_t id, bool begins) {
  uint32_t j = sg_job_find(r, kind, id);
  if (j != SG_NONE)
    return sg_sound_for(r, j);
  if (!begins || sg_job_named(r, kind, id)) /* then there should be a record */
    return false;
  j = sg_job_place(r);
  /* a free record with a job's seal was damaged */
  return sg_sound_for(r, SG_NONE) && j != SG_NONE && (r->job[j].seal == 0 || sg_job_ended(r, j));
}

bool sg_check_needed(const struct sg_region *r, uint32_t kind, uint64_t id, bool begins) {
  return sg_check_due(r) || !record_sound(r, kind, id, begins);
}

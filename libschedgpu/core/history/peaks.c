/*
 * peaks.c - the most that a job had in use on each device: what its programs allocated. CUDA
 * contexts are no use; their most is counted beside it. Each process marks the most units that it
 * had in use at once. Under the lock the marks of a job's processes are added up, and the marks are
 * lowered to what is in use.
 *
 * For one process the peak is exact: a process that is killed between taking and marking has the
 * units in use. For several processes it is an upper bound, since each may have its most at another
 * time. The more often the marks are noted, the closer the bound is, and it is never above a budget
 * that does not grow. The most of contexts is exact: it is noted before a context goes.
 *
 * The memory of a shared lane (lane_share.c) is added once, since all processes of a job map the
 * same. It is noted before a process maps or loses it.
 */
#include "history.h"

/** Never lowers the mark: another thread may have had more in use meanwhile. */
__attribute__((noinline)) void sg_peak_raise_slowly(struct sg_client *c, uint32_t device,
                                                    uint64_t units) {
  uint32_t old = atomic_load(&c->peak_units[device]);
  uint32_t most = units < UINT32_MAX ? (uint32_t)units : UINT32_MAX;
  while (old < most && !atomic_compare_exchange_weak(&c->peak_units[device], &old, most))
    ;
}

/** Units taken meanwhile are in use when the second load reads them. */
void sg_peak_lower(struct sg_client *c, uint32_t device, uint32_t seen) {
  uint64_t in_use = sg_in_use(atomic_load(&c->lease[device]));
  if (in_use >= seen ||
      !atomic_compare_exchange_strong(&c->peak_units[device], &seen, (uint32_t)in_use))
    return;
  sg_crash_point();
  sg_peak_raise(c, device, sg_in_use(atomic_load(&c->lease[device])));
}

void sg_peak_note(struct sg_region *r, uint32_t job, uint32_t device, uint64_t bytes) {
  uint64_t total = r->device[device].total_bytes, *peak = &r->job[job].peak_bytes[device];
  if (!sg_device_present(r, device))
    return;
  if (bytes > total)
    bytes = total; /* larger than the device: the marks are of different times, or damaged */
  if (bytes > *peak)
    SG_PUT(*peak, bytes);
}

/** The job of the client: `only`, or any active job if `only` is SG_NONE. SG_NONE if it has
 * neither. */
static uint32_t job_of(const struct sg_region *r, const struct sg_client *c, uint32_t only) {
  uint32_t job = c->state == SG_ACTIVE ? sg_read_once(&c->job) : SG_NONE;
  if (only != SG_NONE)
    return job == only ? job : SG_NONE; /* also while the job ends */
  return sg_job_active(r, job) ? job : SG_NONE;
}

/** What the processes of a job map of its shared lane: each of them maps the same. */
static uint64_t mapped_of_lane(const struct sg_region *r, uint32_t job) {
  uint64_t most = 0;
  for (uint32_t i = 0; i < sg_clients_end(r); i++) {
    const struct sg_client *c = &r->client[i];
    bool own = c->state == SG_ACTIVE && sg_read_once(&c->job) == job;
    if (own && r->turn[i].lane_bytes > most)
      most = r->turn[i].lane_bytes;
  }
  return most;
}

/** A job that shares its lane never gets more by itself than it keeps: so what it keeps is its most
 * in an iteration, not what it has between two. */
static void note_own(struct sg_region *r, uint32_t job, uint64_t own) {
  uint64_t most = r->job[job].persistent_bytes;
  if (own > most)
    own = most; /* the marks are of different times */
  if (own > r->job[job].kept_bytes)
    SG_PUT(r->job[job].kept_bytes, own);
}

/** The processes of a job never have more at once than a budget that does not grow: a larger sum
 * is of marks of different times. */
static uint64_t at_most_budget(const struct sg_region *r, uint32_t job, uint32_t d, uint64_t sum) {
  uint64_t budget = r->job[job].budget_bytes[d];
  return budget != 0 && !sg_budget_grows(r, job) && sum > budget ? budget : sum;
}

/** Notes the sums of a job's marks and contexts, and what it maps of a shared lane. */
static void note_sums(struct sg_region *r, uint32_t job, uint32_t d, uint64_t marks,
                      uint64_t contexts) {
  if (!sg_device_present(r, d))
    return;
  uint64_t *most = &r->job[job].context_peak_bytes[d];
  if (sg_shares_lane(r, job) && sg_lane_device(r, job) == d) {
    note_own(r, job, marks);
    marks += mapped_of_lane(r, job);
  }
  if (marks != 0)
    sg_peak_note(r, job, d, at_most_budget(r, job, d, marks));
  if (contexts > *most)
    SG_PUT(*most, contexts);
}

/** Adds up the marks, notes the sum, and then lowers the marks. A process killed in between has
 * noted too little or noted twice; units marked meanwhile stay marked. */
static void note_device(struct sg_region *r, uint32_t only, uint32_t d) {
  uint64_t sum[SCHEDGPU_MAX_JOBS] = {0}, contexts[SCHEDGPU_MAX_JOBS] = {0};
  uint32_t seen[SG_SLOTS], end = sg_clients_end(r);
  for (uint32_t i = 0; i < end; i++) {
    const struct sg_client *c = &r->client[i];
    uint32_t job = job_of(r, c, only);
    seen[i] = job != SG_NONE ? atomic_load(&c->peak_units[d]) : 0;
    if (job == SG_NONE)
      continue;
    uint64_t in_use = sg_in_use(atomic_load(&c->lease[d]));
    sum[job] += (seen[i] > in_use ? seen[i] : in_use) * SG_UNIT_BYTES;
    contexts[job] += c->contexts[d];
  }
  for (uint32_t j = 0; j < sg_jobs_end(r); j++)
    if ((sum[j] | contexts[j]) != 0 || ((only == SG_NONE || only == j) && sg_shares_lane(r, j)))
      note_sums(r, j, d, sum[j], contexts[j]);
  for (uint32_t i = 0; i < end; i++)
    if (seen[i] != 0)
      sg_peak_lower(&r->client[i], d, seen[i]);
}

/** Does the same for a job with one process, without a pass over the other clients. */
static void note_alone(struct sg_region *r, uint32_t job, uint32_t slot, uint32_t d) {
  struct sg_client *c = &r->client[slot];
  uint32_t seen = atomic_load(&c->peak_units[d]);
  uint64_t in_use = sg_in_use(atomic_load(&c->lease[d]));
  note_sums(r, job, d, (seen > in_use ? seen : in_use) * SG_UNIT_BYTES, c->contexts[d]);
  sg_peak_lower(c, d, seen);
}

void sg_note_peaks(struct sg_region *r, uint32_t job) {
  SG_EACH_DEVICE (d, r->job[job].device_mask) {
    note_device(r, job, d);
  }
}

void sg_note_peaks_of(struct sg_region *r, uint32_t slot) {
  uint32_t job = sg_client_job(r, &r->client[slot]);
  if (job == SG_NONE)
    return;
  if (r->job[job].clients != 1) {
    sg_note_peaks(r, job);
    return;
  }
  SG_EACH_DEVICE (d, r->job[job].device_mask) {
    note_alone(r, job, slot, d);
  }
}

void sg_note_all_peaks(struct sg_region *r) {
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++)
    if (sg_device_present(r, d))
      note_device(r, SG_NONE, d);
}

bool sg_peaks_due(const struct sg_region *r) {
  for (uint32_t i = 0; i < sg_clients_end(r); i++) {
    const struct sg_client *c = &r->client[i];
    for (uint32_t d = 0; c->state == SG_ACTIVE && d < SCHEDGPU_MAX_DEVICES; d++)
      if (atomic_load(&c->peak_units[d]) > sg_in_use(atomic_load(&c->lease[d])))
        return true;
  }
  return false;
}

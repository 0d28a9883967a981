/*
 * ended.c - a ring of the last jobs that ended, for later queries. A record is valid only with the
 * sequence of its place. The writer zeroes the sequence first and stores it last, so a writer that
 * is killed leaves no half record. A process that finishes the end of a job for a dead one finds
 * what the dead one wrote.
 */
#include "../layout/seals.h"
#include "history.h"

static struct sg_ended *place_of(struct sg_region *r, uint64_t sequence) {
  return &r->ended[(sequence - 1) % SG_ENDED];
}

bool sg_ended_valid(const struct sg_ended *e, uint32_t i) {
  uint64_t sequence = atomic_load(&e->sequence);
  return sequence != 0 && (sequence - 1) % SG_ENDED == i &&
         e->seal == sg_seal_of_ended(e, sequence);
}

static bool is_recorded(const struct sg_region *r, uint64_t sequence) {
  uint32_t i = (uint32_t)((sequence - 1) % SG_ENDED);
  return sequence != 0 && atomic_load(&r->ended[i].sequence) == sequence &&
         sg_ended_valid(&r->ended[i], i);
}

/** True if a process wrote the record before it was killed. Counts the record if that process did
 * not. */
static bool was_recorded(struct sg_region *r, const struct sg_job *job) {
  if (is_recorded(r, r->h.ended + 1))
    SG_PUT(r->h.ended, r->h.ended + 1);
  const struct sg_ended *e = place_of(r, job->ended_as);
  return is_recorded(r, job->ended_as) && e->kind == job->kind && e->id == job->id &&
         e->begun_ns == job->begun_ns;
}

/** Invalidates the record at the place of the sequence, so that it can be overwritten. */
static struct sg_ended *start(struct sg_region *r, uint64_t sequence) {
  struct sg_ended *e = place_of(r, sequence);
  atomic_store(&e->sequence, 0);
  sg_crash_point();
  return e;
}

static void finish(struct sg_region *r, struct sg_ended *e, uint64_t sequence) {
  SG_PUT(e->seal, sg_seal_of_ended(e, sequence));
  atomic_store(&e->sequence, sequence);
  sg_crash_point();
  SG_PUT(r->h.ended, sequence);
}

static uint32_t saturated(uint64_t number) {
  return number < UINT32_MAX ? (uint32_t)number : UINT32_MAX;
}

static void fill_lane(struct sg_ended *e, const struct sg_job *job) {
  e->lane_policy = job->lane_policy;
  e->turns = saturated(job->turns);
  e->switches = saturated(job->switches);
  e->service_ns = job->service_ns > job->credit_ns ? job->service_ns - job->credit_ns : 0;
  e->turn_waited_ns = job->turn_waited_ns;
  e->kept_bytes = job->kept_bytes;
}

#define COPY(figure) e->figure = job->figure;
/** Needs no order of stores: the record is invalid while its sequence is 0. */
static void fill(struct sg_ended *e, const struct sg_job *job, uint64_t now_ns) {
  uint64_t since_ns = job->held_since_ns;
  e->id = job->id;
  e->kind = job->kind;
  e->uid = job->uid;
  e->priority = job->priority;
  e->mode = job->mode;
  e->device_mask = job->device_mask;
  e->begun_ns = job->begun_ns;
  e->ended_ns = now_ns;
  SG_JOB_FIGURES(COPY)
  if (since_ns != 0)
    e->held_ns = now_ns > since_ns ? now_ns - since_ns : 0;
  e->refused_bytes = job->refused_bytes;
  e->refusals = job->refusals;
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++) {
    e->budget_bytes[d] = job->budget_bytes[d];
    e->peak_bytes[d] = job->peak_bytes[d];
    e->context_peak_bytes[d] = job->context_peak_bytes[d];
  }
  for (uint32_t i = 0; i < SCHEDGPU_NAME_SIZE; i++)
    e->name[i] = job->name[i];
  fill_lane(e, job);
  sg_crash_point();
}

void sg_ended_add(struct sg_region *r, uint32_t j, uint64_t now_ns) {
  struct sg_job *job = &r->job[j];
  bool known = job->kind == SCHEDGPU_JOB_SLURM || job->kind == SCHEDGPU_JOB_RUN;
  if (!known || !sg_job_sealed(job) || was_recorded(r, job))
    return; /* a damaged record is not added */
  uint64_t sequence = r->h.ended + 1;
  SG_PUT(job->ended_as, sequence);
  struct sg_ended *e = start(r, sequence);
  fill(e, job, now_ns);
  finish(r, e, sequence);
}

bool sg_ended_possible(const struct sg_region *r) {
  uint64_t last = r->h.ended;
  if (last == UINT64_MAX)
    return false;
  const struct sg_ended *next = &r->ended[last % SG_ENDED];
  uint64_t there = atomic_load(&next->sequence);
  bool older = there == 0 || (last >= SG_ENDED && there <= last + 1 - SG_ENDED);
  /* its writer was killed before it counted the record */
  bool uncounted = there == last + 1 && !is_recorded(r, last + 2);
  return (last == 0 || is_recorded(r, last)) && (older || uncounted);
}

/** The last record may be lost. So this adds a record of no job, and no sequence is used twice. */
void sg_ended_recount(struct sg_region *r) {
  uint64_t last = 0;
  for (uint32_t i = 0; i < SG_ENDED; i++) {
    uint64_t sequence = atomic_load(&r->ended[i].sequence);
    if (sequence != 0 && !sg_ended_valid(&r->ended[i], i))
      atomic_store(&r->ended[i].sequence, 0);
    else if (sequence > last)
      last = sequence;
  }
  struct sg_ended *e = start(r, last + 1);
  SG_PUT(e->kind, 0);
  finish(r, e, last + 1);
}

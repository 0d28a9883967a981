/* checkpoint.c - see integrity.h. The checkpoint has the bytes of a record up to its seal. */
#include "integrity.h"
#include <string.h>

#define CHECKPOINT_MAGIC UINT64_C(0x34505543444753) /* "SGDCUP4" */

static uint64_t sum_of(const struct sg_checkpoint *c, uint64_t size) {
  const size_t from = offsetof(struct sg_checkpoint, created_ns);
  return sg_mix(4, (const char *)c + from, size - from);
}

static uint64_t size_with(uint64_t jobs) {
  return offsetof(struct sg_checkpoint, job) + jobs * sizeof(struct sg_saved_job);
}

static bool base_sealed(const struct sg_region *r) {
  bool sealed = sg_header_sealed(&r->h);
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++)
    sealed &= sg_device_sealed(&r->device[d]);
  return sealed;
}

bool sg_checkpoint_take(const struct sg_region *r, struct sg_checkpoint *c) {
  bool whole = base_sealed(r);
  memset(c, 0, offsetof(struct sg_checkpoint, job));
  memcpy(c->header, &r->h, sizeof c->header);
  memcpy(c->device, r->device, sizeof c->device);
  c->magic = CHECKPOINT_MAGIC;
  c->created_ns = r->h.created_ns;
  for (uint32_t j = 0; j < SCHEDGPU_MAX_JOBS; j++) {
    if (r->h.job_key[j] == 0 && j >= sg_jobs_end(r))
      continue;
    bool sealed = sg_job_active(r, j) && sg_job_sealed(&r->job[j]);
    whole &= r->h.job_key[j] == (sealed ? sg_job_key(r, j) : 0);
    if (!sealed)
      continue;
    struct sg_saved_job *saved = &c->job[c->job_count++];
    saved->index = j;
    memcpy(saved->bytes, &r->job[j], sizeof saved->bytes);
  }
  c->size = size_with(c->job_count);
  c->sum = sum_of(c, c->size);
  return whole;
}

bool sg_checkpoint_valid(const struct sg_checkpoint *c, uint64_t size, uint64_t created_ns) {
  return size >= size_with(0) && size <= sizeof *c && c->magic == CHECKPOINT_MAGIC &&
         c->job_count <= SCHEDGPU_MAX_JOBS && c->size == size && size == size_with(c->job_count) &&
         c->created_ns == created_ns && c->sum == sum_of(c, size);
}

/** The saved bytes contain `ready` and `seal`: `ready` is 1 in a checkpoint, and `seal` is
 * correct. */
bool sg_checkpoint_header(const struct sg_checkpoint *c, struct sg_region *r) {
  struct sg_header saved;
  memcpy(&saved, c->header, sizeof c->header);
  if (!sg_header_sealed(&saved))
    return false;
  memcpy(&r->h, c->header, sizeof c->header);
  atomic_store(&r->h.ready, 1);
  sg_crash_point();
  return true;
}

bool sg_checkpoint_device(const struct sg_checkpoint *c, struct sg_region *r, uint32_t device) {
  const struct sg_device *saved = &c->device[device];
  struct sg_device *d = &r->device[device];
  if (!sg_device_sealed(saved))
    return false;
  sg_unseal_device(r, device);
  d->state = saved->state;
  d->index = saved->index;
  d->total_bytes = saved->total_bytes;
  d->reserved_bytes = saved->reserved_bytes;
  d->context_bytes = saved->context_bytes;
  memcpy(d->uuid, saved->uuid, sizeof d->uuid);
  memcpy(d->name, saved->name, sizeof d->name);
  sg_seal_device(r, device);
  return true;
}

bool sg_checkpoint_find(const struct sg_checkpoint *c, uint32_t job, struct sg_job *saved) {
  for (uint64_t i = 0; c && i < c->job_count; i++) {
    if (c->job[i].index != job)
      continue;
    memset(saved, 0, sizeof *saved);
    memcpy(saved, c->job[i].bytes, sizeof c->job[i].bytes);
    return saved->state == SG_ACTIVE && sg_job_sealed(saved);
  }
  return false;
}

/** Restores the sealed fields and leaves the caches: the caller rebuilds those. */
bool sg_checkpoint_job(const struct sg_checkpoint *c, struct sg_region *r, uint32_t job) {
  struct sg_job saved, *j = &r->job[job];
  if (!sg_checkpoint_find(c, job, &saved))
    return false;
  sg_unseal_job(r, job);
  j->mode = saved.mode;
  j->device_mask = saved.device_mask;
  j->processes = saved.processes;
  memcpy(&j->kind, &saved.kind, offsetof(struct sg_job, seal) - offsetof(struct sg_job, kind));
  sg_seal_job(r, job);
  return true;
}

/*
 * job_keys.c - finds a job's record by the keys in the header. A record is free if both its key and
 * its state say so.
 */
#include "../repair/integrity.h"

static bool is_job(const struct sg_region *r, uint32_t j, uint32_t kind, uint64_t id) {
  return r->job[j].state == SG_ACTIVE && r->job[j].kind == kind && r->job[j].id == id;
}

/** Never 0. Two jobs may have the same key: then their records tell them apart. */
static uint64_t key_of(uint32_t kind, uint64_t id) {
  return (id * 4 + kind) | UINT64_C(1) << 63;
}

bool sg_key_valid(uint64_t key) {
  return key >> 63 != 0 && (key & 3) != 0;
}

uint64_t sg_job_key(const struct sg_region *r, uint32_t j) {
  return r->job[j].state == SG_ACTIVE ? key_of(r->job[j].kind, r->job[j].id) : 0;
}

uint32_t sg_job_find(const struct sg_region *r, uint32_t kind, uint64_t id) {
  uint64_t key = key_of(kind, id);
  for (uint32_t j = 0; j < SCHEDGPU_MAX_JOBS; j++)
    if (r->h.job_key[j] == key && is_job(r, j, kind, id))
      return j;
  return SG_NONE;
}

bool sg_job_named(const struct sg_region *r, uint32_t kind, uint64_t id) {
  uint64_t key = key_of(kind, id);
  for (uint32_t j = 0; j < SCHEDGPU_MAX_JOBS; j++)
    if (r->h.job_key[j] == key)
      return true;
  return false;
}

uint32_t sg_job_search(const struct sg_region *r, uint32_t kind, uint64_t id) {
  for (uint32_t j = 0; j < SCHEDGPU_MAX_JOBS; j++)
    if (is_job(r, j, kind, id))
      return j;
  return SG_NONE;
}

uint32_t sg_job_place(const struct sg_region *r) {
  for (uint32_t j = 0; j < SCHEDGPU_MAX_JOBS; j++)
    if (r->h.job_key[j] == 0 && r->job[j].state == SG_FREE)
      return j;
  return SG_NONE;
}

bool sg_job_ended(const struct sg_region *r, uint32_t j) {
  return r->job[j].state == SG_FREE && r->job[j].seal == SG_SEAL_ENDED;
}

bool sg_job_lost(const struct sg_region *r, uint32_t j) {
  return r->job[j].state == SG_FREE && !sg_job_ended(r, j) && sg_key_valid(r->h.job_key[j]);
}

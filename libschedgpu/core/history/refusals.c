/*
 * refusals.c - refused allocations: those larger than the job can ever have. Each process marks its
 * own. Under the lock the marks are added to the job's. A process killed in between is counted
 * twice rather than not at all: one refusal shows as much as two, that the job's peak is limited by
 * what it could get.
 */
#include "history.h"

#define ONE (UINT64_C(1) << 32)

static uint64_t count_of(uint64_t word) {
  return word >> 32;
}

static uint64_t largest_of(uint64_t word) {
  return (uint32_t)word;
}

/** Adds to the count and the units; each half stops at its maximum. */
static uint64_t added(uint64_t word, uint64_t count, uint64_t units) {
  uint64_t sum = count_of(word) + count, most = largest_of(word);
  most = units > most ? units : most;
  return (sum < UINT32_MAX ? sum : UINT32_MAX) << 32 | (most < UINT32_MAX ? most : UINT32_MAX);
}

static void add(struct sg_client *c, uint64_t count, uint64_t units) {
  uint64_t old = atomic_load(&c->refused);
  while (!atomic_compare_exchange_weak(&c->refused, &old, added(old, count, units)))
    ;
}

bool sg_is_refusal(int rc) {
  return rc == SCHEDGPU_EBUDGET || rc == SCHEDGPU_ETOOBIG;
}

void sg_refusal_mark(struct sg_client *c, uint64_t bytes) {
  add(c, 1, bytes / SG_UNIT_BYTES + (bytes % SG_UNIT_BYTES != 0));
}

/** Clears the mark in one step, whatever its owner writes meanwhile. */
static void forget(struct sg_client *c, uint64_t word) {
  atomic_fetch_sub(&c->refused, count_of(word) * ONE);
}

void sg_refusal_move(struct sg_client *to, struct sg_client *from) {
  uint64_t word = atomic_load(&from->refused);
  if (count_of(word) == 0)
    return;
  add(to, count_of(word), largest_of(word));
  sg_crash_point();
  forget(from, word);
}

/** The refused bytes, at most the device's memory: a larger request shows no more than that. */
static uint64_t capped_to_device(const struct sg_region *r, uint32_t job, uint64_t bytes) {
  uint64_t most = 0;
  SG_EACH_DEVICE (d, r->job[job].device_mask) {
    if (sg_device_present(r, d) && r->device[d].total_bytes > most)
      most = r->device[d].total_bytes;
  }
  return bytes < most ? bytes : most;
}

static void note(struct sg_region *r, uint32_t job, struct sg_client *c) {
  struct sg_job *j = &r->job[job];
  uint64_t word = atomic_load(&c->refused), count = count_of(word);
  if (count == 0)
    return;
  uint64_t bytes = capped_to_device(r, job, largest_of(word) * SG_UNIT_BYTES);
  if (bytes > j->refused_bytes)
    SG_PUT(j->refused_bytes, bytes);
  SG_PUT(j->refusals,
         count < UINT32_MAX - j->refusals ? j->refusals + (uint32_t)count : UINT32_MAX);
  SG_PUT(r->h.refusals, r->h.refusals + count);
  forget(c, word);
  sg_crash_point();
}

void sg_note_refusals(struct sg_region *r, uint32_t job) {
  for (uint32_t i = 0; i < sg_clients_end(r); i++)
    if (r->client[i].state == SG_ACTIVE && sg_read_once(&r->client[i].job) == job)
      note(r, job, &r->client[i]);
}

void sg_note_refusals_of(struct sg_region *r, uint32_t slot) {
  uint32_t job = sg_client_job(r, &r->client[slot]);
  if (job != SG_NONE)
    note(r, job, &r->client[slot]);
}

void sg_note_all_refusals(struct sg_region *r) {
  for (uint32_t i = 0; i < sg_clients_end(r); i++)
    if (r->client[i].state == SG_ACTIVE)
      sg_note_refusals_of(r, i);
}

bool sg_refusals_due(const struct sg_region *r) {
  for (uint32_t i = 0; i < sg_clients_end(r); i++) {
    const struct sg_client *c = &r->client[i];
    if (c->state == SG_ACTIVE && count_of(atomic_load(&c->refused)) != 0 &&
        sg_client_job(r, c) != SG_NONE)
      return true;
  }
  return false;
}

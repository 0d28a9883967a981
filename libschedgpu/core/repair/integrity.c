/*
 * integrity.c - checksums of the records. Pure, as all of the core: a checkpoint comes in as an
 * argument.
 *
 * A seal is a checksum over the fields that only the root side writes. It detects damage; it does
 * not stop a user who forges records. 0 means that the record is being changed. The end of a job
 * leaves a seal of its own: a record with zeros for state and seal may be one that was damaged.
 */
#include "../layout/seals.h"
#include "../history/history.h"
#include <stddef.h>

static uint64_t scramble(uint64_t x) {
  x ^= x >> 32;
  x *= UINT64_C(0xd6e8feb86659fd93);
  x ^= x >> 32;
  return x;
}

#define STEP UINT64_C(0x9e3779b97f4a7c15)
#define LANES 4

static uint64_t step(uint64_t sum, uint64_t word) {
  return scramble(sum ^ word) + STEP;
}

/** Four sums side by side, then their sum: each step of one sum has to wait for the step before. */
static uint64_t mix_lanes(uint64_t sum, const unsigned char *at, size_t blocks) {
  uint64_t a = sum, b = sum + 1, c = sum + 2, d = sum + 3, word[LANES];
  for (; blocks > 0; blocks--, at += sizeof word) {
    __builtin_memcpy(word, at, sizeof word);
    a = step(a, word[0]);
    b = step(b, word[1]);
    c = step(c, word[2]);
    d = step(d, word[3]);
  }
  return step(step(step(a, b), c), d);
}

uint64_t sg_mix(uint64_t sum, const void *bytes, size_t size) {
  const unsigned char *at = bytes;
  size_t blocks = size / (LANES * sizeof sum);
  if (blocks > 1) {
    sum = mix_lanes(sum, at, blocks);
    at += blocks * LANES * sizeof sum;
    size -= blocks * LANES * sizeof sum;
  }
  for (; size >= 8; size -= 8, at += 8) {
    uint64_t word;
    __builtin_memcpy(&word, at, 8);
    sum = step(sum, word);
  }
  for (; size > 0; size--, at++)
    sum = step(sum, *at);
  return sum;
}

/** Continues the checksum with the fields of a record from `first` up to, without, `end`. */
#define MIX(sum, record, type, first, end)                                                         \
  sg_mix(sum, (const char *)(record) + offsetof(struct type, first),                               \
         offsetof(struct type, end) - offsetof(struct type, first))

static uint64_t no_zero(uint64_t sum) {
  return sum != 0 ? sum : 1;
}

static uint64_t seal_of_header(const struct sg_header *h) {
  uint64_t sum = MIX(1, h, sg_header, magic, ready);
  return no_zero(MIX(sum, h, sg_header, device_count, seal));
}

static uint64_t seal_of_device(const struct sg_device *d) {
  uint64_t sum = MIX(2, d, sg_device, state, used_bytes);
  return no_zero(sg_mix(sum, d->uuid, sizeof d->uuid + sizeof d->name));
}

static uint64_t seal_of_job(const struct sg_job *j) {
  uint64_t sum = MIX(3, j, sg_job, mode, held_mask);
  sum = sg_mix(sum, &j->processes, sizeof j->processes);
  return no_zero(MIX(sum, j, sg_job, kind, seal));
}

uint64_t sg_seal_of_ended(const struct sg_ended *e, uint64_t sequence) {
  uint64_t sum = sg_mix(6, &sequence, sizeof sequence);
  return no_zero(sg_mix(sum, &e->id,
                        offsetof(struct sg_ended, kept_bytes) + sizeof e->kept_bytes -
                            offsetof(struct sg_ended, id)));
}

_Static_assert(offsetof(struct sg_device, name) ==
                   offsetof(struct sg_device, uuid) + SCHEDGPU_UUID_SIZE,
               "uuid and name are sealed as one");

bool sg_header_sealed(const struct sg_header *h) {
  return h->seal == seal_of_header(h);
}
bool sg_device_sealed(const struct sg_device *d) {
  return d->seal == seal_of_device(d);
}
bool sg_job_sealed(const struct sg_job *j) {
  return j->seal == seal_of_job(j);
}

void sg_seal_header(struct sg_region *r) {
  SG_PUT(r->h.seal, seal_of_header(&r->h));
}
void sg_seal_device(struct sg_region *r, uint32_t device) {
  SG_PUT(r->device[device].seal, seal_of_device(&r->device[device]));
}
void sg_seal_job(struct sg_region *r, uint32_t job) {
  SG_PUT(r->job[job].seal, seal_of_job(&r->job[job]));
}

void sg_unseal_header(struct sg_region *r) {
  SG_PUT(r->h.seal, 0);
}
void sg_unseal_device(struct sg_region *r, uint32_t device) {
  SG_PUT(r->device[device].seal, 0);
}
void sg_unseal_job(struct sg_region *r, uint32_t job) {
  SG_PUT(r->job[job].seal, 0);
}
void sg_seal_ended(struct sg_region *r, uint32_t job) {
  SG_PUT(r->job[job].seal, SG_SEAL_ENDED);
}
bool sg_job_broken(const struct sg_job *j) {
  return !sg_job_sealed(j) && j->seal != 0 && j->seal != SG_SEAL_ENDED;
}

/* seals.h - checksums, and caches that can be recounted. */
#ifndef SG_SEALS_H
#define SG_SEALS_H

#include "access.h"

/* --- integrity (integrity.c) --- */
/** Renews the checksum over the sealed fields after the root side wrote them. */
void sg_seal_header(struct sg_region *r);
void sg_seal_device(struct sg_region *r, uint32_t device);
void sg_seal_job(struct sg_region *r, uint32_t job);
/** Call it before sealed fields change in place: if the writer is killed in between, the record
 * says that it was being changed, not that it is damaged. */
void sg_unseal_header(struct sg_region *r);
void sg_unseal_device(struct sg_region *r, uint32_t device);
void sg_unseal_job(struct sg_region *r, uint32_t job);
/** The seal of a record whose job has ended: no sum, and nothing that a wiped record has. */
#define SG_SEAL_ENDED UINT64_C(0x656e6465642e6a6f)
void sg_seal_ended(struct sg_region *r, uint32_t job);
/** True if the seal is that of other fields: it was neither removed nor replaced by a job's end. */
bool sg_job_broken(const struct sg_job *j);
bool sg_header_sealed(const struct sg_header *h);
bool sg_device_sealed(const struct sg_device *d);
bool sg_job_sealed(const struct sg_job *j);
/** Continues a checksum with `size` bytes. */
uint64_t sg_mix(uint64_t sum, const void *bytes, size_t size);
/** Checksum of a slot's generation. */
static inline uint32_t sg_gen_seal(uint32_t slot, uint32_t gen) {
  return (gen ^ (slot * 0x9e3779b9u)) * 0x85ebca6bu ^ 0x5eed5eedu;
}

/** True if the record's generations are those that its process wrote. */
static inline bool sg_client_signed(const struct sg_region *r, uint32_t slot) {
  const struct sg_client *c = &r->client[slot];
  return c->gen_seal == sg_gen_seal(slot, atomic_load(&c->gen)) &&
         c->agen_seal == sg_gen_seal(slot, c->agen);
}

/* --- after a crash, and in tests (recount.c) --- */
/** Recomputes every cache from the authoritative fields. */
void sg_recount(struct sg_region *r);
/** Bytes of an `ondemand` job on the device that are held or queued, summed over the records of
 * its clients and requests; reads no cache. */
uint64_t sg_counted_by_records(const struct sg_region *r, uint32_t job, uint32_t device);
/** Checks every invariant; 0, or ECORRUPT and the violated one in `text`. */
int sg_check(const struct sg_region *r, char *text, uint64_t size);

#endif

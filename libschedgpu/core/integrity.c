/* integrity.c - checksums over what only the root side writes. */
#include "core.h"

void sg_seal_header(struct sg_region *r) {
  SG_PUT(r->h.seal, 0);
}

void sg_seal_device(struct sg_region *r, uint32_t device) {
  SG_PUT(r->device[device].seal, 0);
}

void sg_seal_job(struct sg_region *r, uint32_t job) {
  SG_PUT(r->job[job].seal, 0);
}

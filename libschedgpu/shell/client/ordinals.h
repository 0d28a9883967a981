/* ordinals.h - maps device numbers of the process to devices of the region. */
#ifndef SG_ORDINALS_H
#define SG_ORDINALS_H

#include "../../core/rules/core.h"

struct sg_ordinals {
  uint32_t count;
  uint32_t device[SCHEDGPU_MAX_DEVICES]; /**< ordinal -> region device */
};

/**
 * Fills `o` from a list as in CUDA_VISIBLE_DEVICES (UUIDs or numbers, comma separated); without a
 * list, with the devices of `mask` in order. Entries that the region does not know become SG_NONE.
 */
void sg_ordinals_fill(struct sg_ordinals *o, const struct sg_region *r, const char *list,
                      uint32_t mask);
/** The ordinal of the region's device, -1 if it is not among them. */
int sg_ordinal_of(const struct sg_ordinals *o, uint32_t device);
/** The region's device with this UUID, SG_NONE if unknown. */
uint32_t sg_device_of_uuid(const struct sg_region *r, const char *uuid, size_t length);

#endif

/* ordinals.c - see ordinals.h */
#include "ordinals.h"
#include <string.h>

uint32_t sg_device_of_uuid(const struct sg_region *r, const char *uuid, size_t length) {
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++)
    if (sg_device_present(r, d) && length < SCHEDGPU_UUID_SIZE &&
        strncmp(r->device[d].uuid, uuid, length) == 0 && r->device[d].uuid[length] == 0)
      return d;
  return SG_NONE;
}

static uint32_t device_of_entry(const struct sg_region *r, const char *text, size_t length) {
  uint32_t number = 0;
  size_t digits = 0;
  while (digits < length && digits < 3 && text[digits] >= '0' && text[digits] <= '9')
    number = number * 10 + (uint32_t)(text[digits++] - '0');
  if (digits > 0 && digits == length)
    return sg_device_present(r, number) ? number : SG_NONE;
  return sg_device_of_uuid(r, text, length);
}

void sg_ordinals_fill(struct sg_ordinals *o, const struct sg_region *r, const char *list,
                      uint32_t mask) {
  o->count = 0;
  if (!list || !*list) {
    for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++)
      if (mask & 1u << d)
        o->device[o->count++] = d;
    return;
  }
  for (const char *at = list; *at && o->count < SCHEDGPU_MAX_DEVICES;) {
    size_t length = strcspn(at, ",");
    o->device[o->count++] = device_of_entry(r, at, length);
    at += length;
    at += *at == ',';
  }
}

int sg_ordinal_of(const struct sg_ordinals *o, uint32_t device) {
  for (uint32_t i = 0; i < o->count; i++)
    if (o->device[i] == device && device != SG_NONE)
      return (int)i;
  return -1;
}

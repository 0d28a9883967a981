/*
 * physical.h - memory of cuMemCreate, which has no address of its own. Call all functions with the
 * driver locked.
 */
#ifndef EMULATED_GPU_PHYSICAL_H
#define EMULATED_GPU_PHYSICAL_H

#include "driver.h"

#include <sys/types.h>

enum { GRANULARITY = 2 << 20 };

struct physical {
  unsigned device;
  unsigned handles;  /* references that cuMemRelease has to release */
  unsigned mappings; /* mappings at addresses and in arrays */
  size_t bytes;
  off_t offset; /* in the file of physical_file() */
};

/* Creates charged memory. NULL if there is no host memory. */
struct physical *physical_make(unsigned device, size_t bytes);

/* The memory of a handle, or NULL if it was released. */
struct physical *physical_of(CUmemGenericAllocationHandle handle);

/* Removes a handle or a mapping. The last one frees the memory. */
void physical_drop_handle(struct physical *memory);
void physical_drop_mapping(struct physical *memory);

/* The file with all memory of this process, so that memory can be mapped several times. */
int physical_file(void);

#endif

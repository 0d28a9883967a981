/* Memory without an address of its own: what cuMemCreate makes. All functions: driver locked. */
#ifndef EMULATED_GPU_PHYSICAL_H
#define EMULATED_GPU_PHYSICAL_H

#include "driver.h"

#include <sys/types.h>

enum { GRANULARITY = 2 << 20 };

struct physical {
  unsigned device;
  unsigned handles;  /* references that cuMemRelease has still to give back */
  unsigned mappings; /* at addresses and in arrays */
  size_t bytes;
  off_t offset; /* in the file of physical_file() */
};

/* Charged. Null for lack of host memory. */
struct physical *physical_make(unsigned device, size_t bytes);

/* What the handle stands for, or null when it was released. */
struct physical *physical_of(CUmemGenericAllocationHandle handle);

/* One handle or mapping less; the last one gives the memory back. */
void physical_drop_handle(struct physical *memory);
void physical_drop_mapping(struct physical *memory);

/* The file that all memory of this process is in, so that it can be mapped in several places. */
int physical_file(void);

#endif

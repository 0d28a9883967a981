/*
 * physical.h - memory of cuMemCreate, which has no address of its own. Call all functions with the
 * driver locked.
 */
#ifndef EMULATED_GPU_PHYSICAL_H
#define EMULATED_GPU_PHYSICAL_H

#include "driver.h"

#include <sys/types.h>

enum { GRANULARITY = 2 << 20, NOT_SHAREABLE = -1 };

struct physical {
  unsigned device;
  unsigned handles;  /* references that cuMemRelease has to release */
  unsigned mappings; /* mappings at addresses and in arrays */
  size_t bytes;
  int file;      /* memory file with the content, so that it can be mapped several times */
  off_t offset;  /* in the file */
  int shareable; /* index in the state's table (shareable.h), or NOT_SHAREABLE */
};

/* Allocates memory on the device, with one handle, and charges it to this process. */
CUresult physical_make(struct physical **made, unsigned device, size_t bytes, int shareable);

/* Enters memory with one handle, whose other fields are set. NULL if there is no host memory. */
struct physical *physical_enter(const struct physical *memory);

/* The memory of a handle, or NULL if it was released. */
struct physical *physical_of(CUmemGenericAllocationHandle handle);
CUmemGenericAllocationHandle physical_handle(const struct physical *memory);

/* Removes a handle or a mapping. The last one frees the memory, or this process's use of it. */
void physical_drop_handle(struct physical *memory);
void physical_drop_mapping(struct physical *memory);

/* --- share.c: the memory of which other processes may have a part --- */

/* Allocates device memory in a file of its own: sets all fields but the counts. */
CUresult share_make(struct physical *memory, unsigned device, size_t bytes);

/* Ends a use by this process. The memory is free if it was the last use of all processes. */
void share_end(const struct physical *memory);

#endif

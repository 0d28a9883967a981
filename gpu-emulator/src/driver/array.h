/* Arrays and mipmapped arrays. All functions: driver locked. */
#ifndef EMULATED_GPU_ARRAY_H
#define EMULATED_GPU_ARRAY_H

#include "context.h"
#include "physical.h"

/* A part of an array that is mapped to memory of cuMemCreate. */
struct tile {
  CUarrayMapInfo region; /* as it was mapped */
  struct physical *memory;
  struct tile *next;
};

struct CUarray_st {
  CUDA_ARRAY3D_DESCRIPTOR descriptor;
  CUcontext context;
  size_t bytes;   /* that it needs */
  size_t charged; /* of its own; 0 when it is mapped to other memory, or is a level */
  char *data;     /* the rows, one behind the other; null without memory of its own */
  unsigned levels;
  CUarray level; /* of a mipmapped array: its levels */
  struct tile *tiles;
  CUarray next; /* in the list of all that can be destroyed */
};

/* The arrays have the same parts; which is which is told by `levels`, 0 in a plain one. */
struct CUmipmappedArray_st {
  struct CUarray_st array;
};

/* Whether the descriptor is one that CUDA takes. */
int array_is_valid(const CUDA_ARRAY3D_DESCRIPTOR *descriptor);
/* Levels that it can have. */
unsigned array_most_levels(const CUDA_ARRAY3D_DESCRIPTOR *descriptor);
/* The descriptor of a level. */
CUDA_ARRAY3D_DESCRIPTOR array_level(const CUDA_ARRAY3D_DESCRIPTOR *descriptor, unsigned level);
/* Bytes of a row, and of all rows, without what lies between them on a device. */
size_t array_row_bytes(const CUDA_ARRAY3D_DESCRIPTOR *descriptor);
size_t array_data_bytes(const CUDA_ARRAY3D_DESCRIPTOR *descriptor);
/* Bytes on the device, of all levels; 0 when that overflows. */
size_t array_device_bytes(const CUDA_ARRAY3D_DESCRIPTOR *descriptor, unsigned levels);

/* Whether it exists, mipmapped or not. */
int array_exists(CUarray array, int mipmapped);

void array_unmap_all(CUarray array);
void arrays_free_all(CUcontext context);

/* The first byte of a row in a copy, or null when the rectangle is not inside the array. */
char *array_row(CUarray array, size_t x_bytes, size_t y, size_t width_bytes, size_t height);

#endif

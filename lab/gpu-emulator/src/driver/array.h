/* array.h - arrays and mipmapped arrays. Call all functions with the driver locked. */
#ifndef EMULATED_GPU_ARRAY_H
#define EMULATED_GPU_ARRAY_H

#include "context.h"
#include "physical.h"

/* A part of an array that is mapped to memory of cuMemCreate. */
struct tile {
  CUarrayMapInfo region; /* the region, as it was mapped */
  struct physical *memory;
  struct tile *next;
};

struct CUarray_st {
  CUDA_ARRAY3D_DESCRIPTOR descriptor;
  CUcontext context;
  size_t bytes;   /* bytes that the array needs */
  size_t charged; /* bytes of its own memory; 0 if it is mapped to other memory, or is a level */
  char *data;     /* the rows, one after the other; NULL without memory of its own */
  unsigned levels;
  CUarray level; /* the levels of a mipmapped array */
  struct tile *tiles;
  CUarray next; /* the next one in the list of arrays that can be destroyed */
};

/* Both kinds of arrays have the same members. `levels` tells them apart: 0 in a plain array. */
struct CUmipmappedArray_st {
  struct CUarray_st array;
};

/* True if CUDA accepts the descriptor. */
int array_is_valid(const CUDA_ARRAY3D_DESCRIPTOR *descriptor);
/* The number of levels that the array can have. */
unsigned array_most_levels(const CUDA_ARRAY3D_DESCRIPTOR *descriptor);
/* The descriptor of a level. */
CUDA_ARRAY3D_DESCRIPTOR array_level(const CUDA_ARRAY3D_DESCRIPTOR *descriptor, unsigned level);
/* Bytes of an element; 0 for a format that the emulator does not know. */
size_t array_element_bytes(const CUDA_ARRAY3D_DESCRIPTOR *descriptor);
/* The rows of a slice. */
size_t array_rows(const CUDA_ARRAY3D_DESCRIPTOR *descriptor);
/* Bytes of a row, and of all rows, without the padding of a device. */
size_t array_row_bytes(const CUDA_ARRAY3D_DESCRIPTOR *descriptor);
size_t array_data_bytes(const CUDA_ARRAY3D_DESCRIPTOR *descriptor);
/* Bytes on the device, of all levels; 0 if that overflows. */
size_t array_device_bytes(const CUDA_ARRAY3D_DESCRIPTOR *descriptor, unsigned levels);

/* True if the array exists; mipmapped or not as asked. */
int array_exists(CUarray array, int mipmapped);

void array_unmap_all(CUarray array);
void arrays_free_all(CUcontext context);

struct box_extent;

/* The first byte of a box in the array, or NULL if the array has no data or the box is not inside
 * it. */
char *array_box(CUarray array, size_t x_bytes, size_t y, size_t z, const struct box_extent *extent);

#endif

/*
 * array_size.c - computes sizes of arrays. Rows are stored in blocks of 64 bytes by 8 rows; several
 * blocks form a tile, whose size the driver chooses by the extents. Arrays begin on pages of 64
 * KiB.
 */
#include "array_size.h"
#include "sizes.h"
#include <stdbool.h>

#define BLOCK_BYTES 64
#define TILE_ROWS 128  /* at most */
#define TILE_SLICES 32 /* at most */
#define PAGE_BYTES 65536
#define LARGEST_TEXEL 16 /* four channels of 32 bits; no planar format needs more */

/* The numbers are CUarray_format's. */
static uint64_t texel_bytes(int format, unsigned channels) {
  static const unsigned count[] = {1, 2, 4};
  if (format >= 0xc0 && format <= 0xcb) /* normalized: 8 and 16 bits in turn, by 1, 2, 4 channels */
    return count[format % 3] * ((format - 0xc0) / 3 % 2 ? 2 : 1);
  if (format >= 0x91 && format <= 0x9e) /* compressed: 8 or 16 bytes for 4 by 4 */
    return 1;
  switch (format) {
  case 0x01:
  case 0x08:
    return channels;
  case 0x02:
  case 0x09:
  case 0x10:
    return UINT64_C(2) * channels;
  case 0x03:
  case 0x0a:
  case 0x20:
    return UINT64_C(4) * channels;
  case 0x50:
    return 4;
  default:
    return LARGEST_TEXEL;
  }
}

/*
 * The smallest power of two that is not below the size, up to `most`; beyond that multiples of
 * `most`.
 */
static uint64_t in_tiles(uint64_t extent, uint64_t most) {
  uint64_t tile = 1;
  while (tile < extent && tile < most)
    tile *= 2;
  return sgp_round_up(extent, tile);
}

static uint64_t halved(uint64_t extent, unsigned times) {
  uint64_t half = times < 64 ? extent >> times : 0;
  return half ? half : 1;
}

/*
 * An extent of 0 means that the array lacks this dimension. The number of layers and faces is not
 * rounded.
 */
static uint64_t level_bytes(const CUDA_ARRAY3D_DESCRIPTOR *d, unsigned level) {
  bool layered = (d->Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP)) != 0;
  uint64_t row = sgp_times(halved(d->Width, level), texel_bytes((int)d->Format, d->NumChannels));
  uint64_t rows = d->Height ? in_tiles(halved(d->Height, level), TILE_ROWS) : 1;
  uint64_t slices = !d->Depth ? 1
                    : layered ? d->Depth
                              : in_tiles(halved(d->Depth, level), TILE_SLICES);
  return sgp_times(sgp_times(sgp_round_up(row, BLOCK_BYTES), rows), slices);
}

/* There are no more levels than halvings of the largest extent. */
static unsigned most_levels(const CUDA_ARRAY3D_DESCRIPTOR *d) {
  uint64_t extents = (uint64_t)d->Width | d->Height | d->Depth;
  return extents ? 64 - (unsigned)__builtin_clzll(extents) : 1;
}

uint64_t sgp_array_bytes(const CUDA_ARRAY3D_DESCRIPTOR *descriptor, unsigned levels) {
  uint64_t bytes = 0;
  unsigned most = most_levels(descriptor);
  for (unsigned level = 0; level == 0 || (level < levels && level < most); level++)
    bytes = sgp_plus(bytes, level_bytes(descriptor, level));
  return sgp_round_up(bytes, PAGE_BYTES);
}

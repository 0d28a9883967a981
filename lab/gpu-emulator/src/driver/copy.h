/* copy.h - what all copies and fills share. Call with the driver unlocked. */
#ifndef EMULATED_GPU_COPY_H
#define EMULATED_GPU_COPY_H

#include "capture.h"

/* Waits for earlier work of the stream, then checks that each range that begins in a block, 0
 * excepted, ends in it. */
CUresult copy_prepare(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream handle);

/* Returns the stream if it is captured, with the driver locked; else NULL. */
CUstream copy_lock_capturing(CUstream handle);

/* Makes a node of the call if the stream is capturing, and returns. */
#define CAPTURE(handle, call)                                                                      \
  do {                                                                                             \
    CUstream stream_ = copy_lock_capturing(handle);                                                \
    if (stream_) {                                                                                 \
      CUresult captured_ = (call);                                                                 \
      driver_unlock();                                                                             \
      return captured_;                                                                            \
    }                                                                                              \
  } while (0)

/* One side of the copy of a box: a rectangle is a box of one slice. */
struct box_side {
  CUmemorytype type;
  void *host;
  CUdeviceptr device;
  CUarray array;
  size_t pitch;  /* bytes from one row to the next; 0: the width of the box */
  size_t height; /* rows from one slice to the next; 0: the height of the box */
  size_t x_bytes, y, z;
};

struct box_extent {
  size_t width_bytes, height, depth;
};

CUresult copy_box(const struct box_side *to, const struct box_side *from,
                  const struct box_extent *extent, CUstream stream);

#endif

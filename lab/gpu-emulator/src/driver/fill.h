/* fill.h - rows of equal elements. */
#ifndef EMULATED_GPU_FILL_H
#define EMULATED_GPU_FILL_H

#include "driver.h"

struct fill {
  CUdeviceptr to;
  size_t pitch; /* bytes from one row to the next */
  unsigned value, element_bytes;
  size_t width, height; /* elements of a row, and rows */
};

/* An error if no fill can be like this. */
CUresult fill_check(const struct fill *fill);

void fill_run(const struct fill *fill);

#endif

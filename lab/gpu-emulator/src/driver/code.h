/* code.h - modules, libraries and kernels. A module is a library, a function is a kernel. */
#ifndef EMULATED_GPU_CODE_H
#define EMULATED_GPU_CODE_H

#include "driver.h"

struct CUkern_st {
  char *name;
  CUlibrary library;
  struct CUkern_st *next;
};

static inline CUkernel kernel_of(CUfunction function) {
  return (CUkernel)function;
}

#endif

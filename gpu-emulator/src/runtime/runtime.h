/*
 * What the parts of the emulated runtime know of each other. The runtime reaches the driver as
 * NVIDIA's does: it opens libcuda.so.1, takes cuGetProcAddress_v2 from it and everything else from
 * that; version 11 looks each exported name up, as NVIDIA's did before there was a
 * cuGetProcAddress. So a preload library meets it at the same places.
 */
#ifndef EMULATED_GPU_RUNTIME_H
#define EMULATED_GPU_RUNTIME_H

#include "cuda_abi.h"
#include "cudart_abi.h"

struct driver_calls {
#define CALL(name, version, symbol) __typeof__(&symbol) name;
#define CALL_PER_THREAD(name, version, symbol) __typeof__(&symbol) symbol;
#include "driver_calls.def"
#undef CALL
#undef CALL_PER_THREAD
  __typeof__(&cuGetProcAddress_v2) get_address;
  /* Only the emulated driver has it. */
  CUresult (*set_global_size)(CUlibrary library, const char *name, size_t bytes);
};
extern struct driver_calls call;

/* Opens the driver once per process; every call but the error functions begins here. */
CUresult runtime_start(void);
unsigned runtime_device_count(void);

/* Makes a context of the thread's device current, if none is. */
CUresult runtime_context(void);

/* Turns a driver's result into ours and keeps it for cudaGetLastError. */
cudaError_t runtime_result(int result);

/* The kernel that a host stub or a kernel handle stands for; in runtime_code.c. */
CUresult runtime_kernel(const void *function, CUkernel *kernel);

/* The variable that a host variable stands for. */
CUresult runtime_variable(const void *symbol, CUdeviceptr *address, size_t *bytes);

#define NEED_START()                                                                               \
  do {                                                                                             \
    CUresult start_result_ = runtime_start();                                                      \
    if (start_result_)                                                                             \
      return runtime_result(start_result_);                                                        \
  } while (0)
#define NEED_CONTEXT()                                                                             \
  do {                                                                                             \
    CUresult context_result_ = runtime_context();                                                  \
    if (context_result_)                                                                           \
      return runtime_result(context_result_);                                                      \
  } while (0)

#endif

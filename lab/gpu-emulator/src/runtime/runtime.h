/*
 * runtime.h - what the files of the emulated runtime share. The runtime reaches the driver as
 * NVIDIA's does: it opens libcuda.so.1, takes cuGetProcAddress_v2 from it, and everything else from
 * that function. Version 11 looks each exported name up, as NVIDIA's did before cuGetProcAddress
 * existed. So a preload library intercepts it at the same places.
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
  /* only the emulated driver has it */
  CUresult (*set_global_size)(CUlibrary library, const char *name, size_t bytes);
};
extern struct driver_calls call;

/* Opens the driver once per process. Every call except the error functions begins here. */
CUresult runtime_start(void);
unsigned runtime_device_count(void);

/* Makes a context of the thread's device current, if there is none. */
CUresult runtime_context(void);

/* Converts a driver's result to the runtime's, and keeps it for cudaGetLastError. */
cudaError_t runtime_result(int result);

/* The kernel of a host stub or a kernel handle; in runtime_code.c. */
CUresult runtime_kernel(const void *function, CUkernel *kernel);

/* The device variable of a host variable. */
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

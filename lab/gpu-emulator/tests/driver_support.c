/* driver_support.c - see driver_support.h. */
#include "driver_support.h"

CUcontext use_device(int ordinal) {
  CUcontext context;
  OK(cuInit(0));
  OK(cuDevicePrimaryCtxRetain(&context, ordinal));
  OK(cuCtxSetCurrent(context));
  return context;
}

size_t free_bytes(void) {
  size_t left, total;
  OK(cuMemGetInfo_v2(&left, &total));
  REQUIRE_EQUAL(total, 1024 * MIB);
  return left;
}

CUdeviceptr allocate(size_t bytes) {
  CUdeviceptr address;
  OK(cuMemAlloc_v2(&address, bytes));
  return address;
}

CUfunction busy_kernel(void) {
  CUmodule module;
  CUfunction function;
  OK(cuModuleLoadData(&module, ".version 8.0 // any image will do"));
  OK(cuModuleGetFunction(&function, module, "busy_ns"));
  return function;
}

void launch_busy(CUfunction function, uint64_t ns, CUstream stream) {
  void *params[] = {&ns};
  OK(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, params, NULL));
}

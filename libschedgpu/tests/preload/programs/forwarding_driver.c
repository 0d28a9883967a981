/*
 * A libcuda.so.1 that loads the true driver from elsewhere and looks up its functions with dlsym(),
 * as on WSL2. It must get the true functions, not those of an interposer, which would call it
 * again.
 */
#include "cuda_abi.h"
#include <dlfcn.h>
#include <string.h>

static void *find(const char *name) {
  static void *driver;
  if (!driver)
    driver = dlopen(TRUE_DRIVER, RTLD_NOW | RTLD_LOCAL);
  return driver ? dlsym(driver, name) : NULL;
}

#define FORWARD(name, parameters, arguments)                                                       \
  CUresult name parameters {                                                                       \
    __typeof__(&name) true_one = (__typeof__(&name))find(#name);                                   \
    return true_one ? true_one arguments : CUDA_ERROR_NOT_FOUND;                                   \
  }

FORWARD(cuInit, (unsigned flags), (flags))
FORWARD(cuDeviceGetUuid, (CUuuid * uuid, CUdevice device), (uuid, device))
FORWARD(cuDevicePrimaryCtxRetain, (CUcontext * context, CUdevice device), (context, device))
FORWARD(cuDevicePrimaryCtxRelease_v2, (CUdevice device), (device))
FORWARD(cuDevicePrimaryCtxGetState, (CUdevice device, unsigned *flags, int *active),
        (device, flags, active))
FORWARD(cuCtxCreate_v4,
        (CUcontext * context, CUctxCreateParams *params, unsigned flags, CUdevice device),
        (context, params, flags, device))
FORWARD(cuCtxSetCurrent, (CUcontext context), (context))
FORWARD(cuCtxGetCurrent, (CUcontext * context), (context))
FORWARD(cuCtxGetDevice, (CUdevice * device), (device))
FORWARD(cuMemAlloc_v2, (CUdeviceptr * address, size_t bytes), (address, bytes))
FORWARD(cuMemFree_v2, (CUdeviceptr address), (address))

/* A function of a driver newer than any table, with unknown parameters. */
CUresult cuCtxCreate_v5(void *unknown);
CUresult cuCtxCreate_v5(void *unknown) {
  return unknown ? CUDA_ERROR_NOT_SUPPORTED : CUDA_ERROR_INVALID_VALUE;
}

/*
 * Returns the addresses of the real driver, which are not those that this library exports, also for
 * exported names. Reports a missing function in two ways: with success and NULL, and with an error
 * alone.
 */
CUresult cuGetProcAddress_v2(const char *symbol, void **function, int version, cuuint64_t flags,
                             CUdriverProcAddressQueryResult *status) {
  __typeof__(&cuGetProcAddress_v2) true_one =
      (__typeof__(&cuGetProcAddress_v2))find("cuGetProcAddress_v2");
  if (version == -1000) {
    *function = NULL;
    return CUDA_SUCCESS;
  }
  if (version == 15000)
    return CUDA_ERROR_NOT_FOUND;
  if (symbol && strcmp(symbol, "cuCtxCreate") == 0 && version >= 14000) {
    *function = (void *)cuCtxCreate_v5;
    return CUDA_SUCCESS;
  }
  if (symbol && strcmp(symbol, "cuInit") == 0 && version >= 14000) { /* a newer variant */
    *function = (void *)cuMemAlloc_v2;
    return CUDA_SUCCESS;
  }
  if (symbol && strstr(symbol, "_v") && (*function = find(symbol)))
    return CUDA_SUCCESS;
  return true_one ? true_one(symbol, function, version, flags, status) : CUDA_ERROR_NOT_FOUND;
}

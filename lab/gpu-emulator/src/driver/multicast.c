/* multicast.c - multicast objects: looked up by frameworks, never supported here. */
#include "driver.h"

#define NO_MULTICAST()                                                                             \
  do {                                                                                             \
    NEED_DRIVER();                                                                                 \
    return CUDA_ERROR_NOT_SUPPORTED;                                                               \
  } while (0)

CUresult cuMulticastCreate(CUmemGenericAllocationHandle *handle,
                           const CUmulticastObjectProp *prop) {
  NO_MULTICAST();
}

CUresult cuMulticastAddDevice(CUmemGenericAllocationHandle handle, CUdevice device) {
  NO_MULTICAST();
}

CUresult cuMulticastBindMem(CUmemGenericAllocationHandle handle, size_t offset,
                            CUmemGenericAllocationHandle memory, size_t memory_offset, size_t bytes,
                            unsigned long long flags) {
  NO_MULTICAST();
}

CUresult cuMulticastBindAddr(CUmemGenericAllocationHandle handle, size_t offset,
                             CUdeviceptr address, size_t bytes, unsigned long long flags) {
  NO_MULTICAST();
}

CUresult cuMulticastUnbind(CUmemGenericAllocationHandle handle, CUdevice device, size_t offset,
                           size_t bytes) {
  NO_MULTICAST();
}

CUresult cuMulticastGetGranularity(size_t *bytes, const CUmulticastObjectProp *prop,
                                   CUmulticastGranularity_flags option) {
  NO_MULTICAST();
}

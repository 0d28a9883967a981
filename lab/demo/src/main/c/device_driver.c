/* device_driver.c - reaches the device through the driver API, which is linked (-lcuda). */
#include "cuda_abi.h"
#include "device.h"
#include "kernel.h"

static CUcontext context;
static CUfunction kernel;
static const char *error_text = "";

static enum device_result report_result(CUresult result) {
  if (result == CUDA_SUCCESS)
    return DEVICE_OK;
  if (cuGetErrorString(result, &error_text) != CUDA_SUCCESS)
    error_text = "unknown error";
  return result == CUDA_ERROR_OUT_OF_MEMORY ? DEVICE_OUT_OF_MEMORY : DEVICE_FAILED;
}

static CUresult load_kernel(void) {
  CUmodule module;
  CUresult result = cuModuleLoadData(&module, kernel_ptx);
  return result ? result : cuModuleGetFunction(&kernel, module, KERNEL_NAME);
}

enum device_result device_open(void) {
  CUdevice device;
  CUresult result = CUDA_SUCCESS;
  if (context)
    return DEVICE_OK;
  if (!(result = cuInit(0)) && !(result = cuDeviceGet(&device, 0)) &&
      !(result = cuCtxCreate_v2(&context, 0, device)))
    result = load_kernel();
  return report_result(result);
}

void device_close(void) {
  if (context)
    cuCtxDestroy_v2(context);
  context = NULL;
}

enum device_result device_allocate(void **memory, size_t bytes) {
  CUdeviceptr address = 0;
  CUresult result = cuMemAlloc_v2(&address, bytes);
  *memory = (void *)address;
  return report_result(result);
}

enum device_result device_free(void *memory) {
  return report_result(cuMemFree_v2((CUdeviceptr)memory));
}

enum device_result device_write(void *memory, const void *host, size_t bytes) {
  return report_result(cuMemcpyHtoD_v2((CUdeviceptr)memory, host, bytes));
}

enum device_result device_read(void *host, const void *memory, size_t bytes) {
  return report_result(cuMemcpyDtoH_v2(host, (CUdeviceptr)memory, bytes));
}

enum device_result device_run(uint64_t busy_ns) {
  uint64_t work = kernel_work(busy_ns);
  void *parameters[] = {&work};
  CUresult result = cuLaunchKernel(kernel, kernel_blocks(), 1, 1, KERNEL_THREADS, 1, 1, 0, NULL,
                                   parameters, NULL);
  return report_result(result ? result : cuCtxSynchronize());
}

const char *device_error(void) {
  return error_text;
}

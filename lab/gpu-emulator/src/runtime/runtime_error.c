/* runtime_error.c - errors of the runtime; most have the driver's numbers. */
#include "runtime.h"

static __thread cudaError_t last;

cudaError_t runtime_result(int result) {
  if (result && result != cudaErrorNotReady)
    last = (cudaError_t)result;
  return (cudaError_t)result;
}

cudaError_t cudaGetLastError(void) {
  cudaError_t error = last;
  last = cudaSuccess;
  return error;
}

cudaError_t cudaPeekAtLastError(void) {
  return last;
}

static const struct {
  cudaError_t error;
  const char *name, *text;
} errors[] = {
#define ERROR(name, text)                                                                          \
  { name, #name, text }
    ERROR(cudaSuccess, "no error"),
    ERROR(cudaErrorInvalidValue, "invalid argument"),
    ERROR(cudaErrorMemoryAllocation, "out of memory"),
    ERROR(cudaErrorInitializationError, "initialization error"),
    ERROR(cudaErrorInvalidConfiguration, "invalid configuration argument"),
    ERROR(cudaErrorInvalidSymbol, "invalid device symbol"),
    ERROR(cudaErrorInsufficientDriver,
          "CUDA driver version is insufficient for CUDA runtime version"),
    ERROR(cudaErrorMissingConfiguration, "__global__ function call is not configured"),
    ERROR(cudaErrorInvalidDeviceFunction, "invalid device function"),
    ERROR(cudaErrorNoDevice, "no CUDA-capable device is detected"),
    ERROR(cudaErrorInvalidDevice, "invalid device ordinal"),
    ERROR(cudaErrorDeviceUninitialized, "invalid device context"),
    ERROR(cudaErrorPeerAccessUnsupported, "peer access is not supported between these two devices"),
    ERROR(cudaErrorInvalidResourceHandle, "invalid resource handle"),
    ERROR(cudaErrorSymbolNotFound, "named symbol not found"),
    ERROR(cudaErrorNotReady, "device not ready"),
    ERROR(cudaErrorContextIsDestroyed, "context is destroyed"),
    ERROR(cudaErrorHostMemoryAlreadyRegistered, "host memory is already registered"),
    ERROR(cudaErrorHostMemoryNotRegistered, "host memory is not registered"),
    ERROR(cudaErrorNotSupported, "operation not supported"),
    ERROR(cudaErrorGraphExecUpdateFailure,
          "the graph update was not performed because it included changes which violated "
          "constraints specific to instantiated graph update"),
    ERROR(cudaErrorUnknown, "unknown error"),
#undef ERROR
};

static int index_of(cudaError_t error) {
  for (unsigned i = 0; i < sizeof errors / sizeof *errors; i++)
    if (errors[i].error == error)
      return (int)i;
  return -1;
}

const char *cudaGetErrorName(cudaError_t error) {
  int index = index_of(error);
  return index < 0 ? "unrecognized error code" : errors[index].name;
}

const char *cudaGetErrorString(cudaError_t error) {
  int index = index_of(error);
  return index < 0 ? "unrecognized error code" : errors[index].text;
}

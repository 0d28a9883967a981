/* runtime_start.c - finds the driver. */
#include "runtime.h"

#include <dlfcn.h>
#include <pthread.h>

struct driver_calls call;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int start_result;
static int device_count;

static void *library;

/* -1 if the driver has no such function */
#if CUDART_VERSION < 12000
static int fetch(const char *name, const char *symbol, int version, cuuint64_t flags,
                 void **function) {
  *function = dlsym(library, symbol);
  return *function ? 0 : -1;
}
#else
static int fetch(const char *name, const char *symbol, int version, cuuint64_t flags,
                 void **function) {
  CUdriverProcAddressQueryResult status;
  return call.get_address(name, function, version, flags, &status) || !*function ? -1 : 0;
}
#endif

static int fetch_all(void) {
#define CALL(name, version, symbol)                                                                \
  if (fetch(#name, #symbol, version, 0, (void **)&call.name))                                      \
    return -1;
#define CALL_PER_THREAD(name, version, symbol)                                                     \
  if (fetch(#name, #symbol, version, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM,                \
            (void **)&call.symbol))                                                                \
    return -1;
#include "driver_calls.def"
#undef CALL
#undef CALL_PER_THREAD
  fetch("emulatedGpuSetGlobalSize", "emulatedGpuSetGlobalSize", 0, 0,
        (void **)&call.set_global_size);
  return 0;
}

static void start(void) {
  start_result = cudaErrorInsufficientDriver;
  library = dlopen("libcuda.so.1", RTLD_NOW);
  if (!library)
    return;
  *(void **)&call.get_address = dlsym(library, "cuGetProcAddress_v2");
  if (!call.get_address || fetch_all())
    return;
  start_result = (int)call.cuInit(0);
  if (!start_result)
    start_result = (int)call.cuDeviceGetCount(&device_count);
}

CUresult runtime_start(void) {
  pthread_once(&once, start);
  return (CUresult)start_result;
}

unsigned runtime_device_count(void) {
  return (unsigned)device_count;
}

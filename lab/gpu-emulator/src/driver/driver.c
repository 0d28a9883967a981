/* driver.c - the start of the driver, and the checks at the start of every call. */
#include "driver.h"
#include "context.h"
#include "../shared/log.h"

#include <stdlib.h>

struct driver driver = {.lock = PTHREAD_MUTEX_INITIALIZER, .slot = -1};

void driver_lock(void) {
  pthread_mutex_lock(&driver.lock);
}
void driver_unlock(void) {
  pthread_mutex_unlock(&driver.lock);
}

/* CUDA does not survive a fork: every call of the child returns "not initialized". */
static void in_child(void) {
  __atomic_store_n(&driver.forked, 1, __ATOMIC_RELEASE);
}

static CUresult start(void) {
  struct visible permitted;
  driver.state = state_open();
  if (!driver.state)
    return CUDA_ERROR_NO_DEVICE;
  visible_permitted(getenv("EMULATED_GPU_DEV_DIR"), driver.state->device_count, visible_probe,
                    &permitted);
  visible_select(&permitted, getenv("CUDA_VISIBLE_DEVICES"), &driver.devices);
  if (!driver.devices.count)
    return CUDA_ERROR_NO_DEVICE;
  contexts_start();
  pthread_atfork(NULL, NULL, in_child);
  __atomic_store_n(&driver.ready, 1, __ATOMIC_RELEASE);
  return CUDA_SUCCESS;
}

CUresult cuInit(unsigned flags) {
  NEED(flags == 0);
  if (__atomic_load_n(&driver.forked, __ATOMIC_ACQUIRE))
    return CUDA_ERROR_NOT_INITIALIZED;
  driver_lock();
  CUresult result = driver.ready ? CUDA_SUCCESS : start();
  driver_unlock();
  log_call("cuInit -> %d", result);
  return result;
}

CUresult driver_ready(void) {
  int usable = __atomic_load_n(&driver.ready, __ATOMIC_ACQUIRE) &&
               !__atomic_load_n(&driver.forked, __ATOMIC_ACQUIRE);
  return usable ? CUDA_SUCCESS : CUDA_ERROR_NOT_INITIALIZED;
}

CUresult driver_device(CUdevice ordinal, unsigned *device) {
  NEED_DRIVER();
  if (ordinal < 0 || (unsigned)ordinal >= driver.devices.count)
    return CUDA_ERROR_INVALID_DEVICE;
  *device = driver.devices.device[ordinal];
  return CUDA_SUCCESS;
}

CUresult driver_claim_slot(void) {
  if (driver.slot < 0)
    driver.slot = state_claim(driver.state);
  return driver.slot < 0 ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
}

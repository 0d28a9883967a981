/*
 * driver.h - what the files of the emulated driver share.
 *
 * One mutex, driver.lock, guards everything that a process keeps for itself. The lock of the shared
 * state is only taken inside it, and never held during a sleep.
 */
#ifndef EMULATED_GPU_DRIVER_H
#define EMULATED_GPU_DRIVER_H

#include "cuda_abi.h"
#include "../shared/state.h"
#include "../shared/visible.h"

#include <pthread.h>

struct driver {
  pthread_mutex_t lock;
  int ready;
  int forked; /* this process is a child of one that had called cuInit */
  int slot;   /* the slot in the shared state, -1 before the first context */
  struct shared_state *state;
  struct visible devices;
};
extern struct driver driver;

CUresult driver_ready(void);
CUresult driver_device(CUdevice ordinal, unsigned *device);
CUresult driver_context(CUcontext *context);

/* The error that EMULATED_GPU_FAIL sets for this call, or CUDA_SUCCESS. */
CUresult driver_failure(const char *function);
void driver_lock(void);
void driver_unlock(void);

/* Claims the slot of this process; driver and state locked. */
CUresult driver_claim_slot(void);

#define NEED(condition)                                                                            \
  do {                                                                                             \
    if (!(condition))                                                                              \
      return CUDA_ERROR_INVALID_VALUE;                                                             \
  } while (0)
#define TRY(call)                                                                                  \
  do {                                                                                             \
    CUresult try_result_ = (call);                                                                 \
    if (try_result_)                                                                               \
      return try_result_;                                                                          \
  } while (0)
#define NEED_DRIVER()                                                                              \
  do {                                                                                             \
    TRY(driver_ready());                                                                           \
    TRY(driver_failure(__func__));                                                                 \
  } while (0)
#define NEED_CONTEXT(name)                                                                         \
  CUcontext name;                                                                                  \
  TRY(driver_context(&name));                                                                      \
  TRY(driver_failure(__func__))
#define NEED_DEVICE(name, ordinal)                                                                 \
  unsigned name;                                                                                   \
  TRY(driver_device(ordinal, &name))

#endif

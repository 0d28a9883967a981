/* reserve.c - see reserve.h. */
#include "reserve.h"
#include "../join/refusal.h"
#include "first_try.h"
#include "room.h"
#include "schedgpu/admin.h"
#include "schedgpu/schedgpu.h"
#include <pthread.h>

#define DEVICES SCHEDGPU_MAX_DEVICES

/*
 * One thread at a time asks for a context of a device; the others share the result, instead of
 * queueing for the same context.
 */
static pthread_mutex_t admitting[DEVICES] = {[0 ... DEVICES - 1] = PTHREAD_MUTEX_INITIALIZER};

__attribute__((noinline, cold)) static struct sgp_verdict refusal(int error, int device,
                                                                  uint64_t bytes) {
  char asked[SGP_SIZE_BYTES];
  return sgp_verdict_of(error, device, schedgpu_format_bytes(bytes, asked));
}

struct sgp_verdict sgp_reserve(int device, uint64_t bytes) {
  if (sgp_may_make_room() && sgp_reserve_making_room(device, bytes))
    return (struct sgp_verdict){.charged = true};
  bool retry;
  int error = sgp_first_try_reserve(device, bytes, &retry);
  if (error == SCHEDGPU_OK)
    return (struct sgp_verdict){.charged = true};
  if (retry)
    return (struct sgp_verdict){.refused = true, .error = CUDA_ERROR_OUT_OF_MEMORY};
  return refusal(error, device, bytes);
}

struct sgp_verdict sgp_admit_context(int device) {
  pthread_mutex_t *lock = &admitting[(unsigned)device % DEVICES];
  pthread_mutex_lock(lock);
  int error = schedgpu_context_enter(device, SCHEDGPU_JOB_WAIT);
  pthread_mutex_unlock(lock);
  return sgp_verdict_of(error, device, "a CUDA context");
}

void sgp_reserve_after_fork(void) {
  for (int i = 0; i < DEVICES; i++)
    admitting[i] = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
}

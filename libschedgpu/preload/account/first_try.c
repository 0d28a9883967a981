/* first_try.c - see first_try.h. */
#include "first_try.h"
#include "../join/pytorch.h"
#include "schedgpu/schedgpu.h"
#include "../join/settings.h"

#define DEVICES 16

/* The size that this thread was refused on each device; 0 = none. */
static _Thread_local uint64_t refused_bytes[DEVICES];

static uint64_t *refused_on(int device) {
  return &refused_bytes[(unsigned)device % DEVICES];
}

static bool holds_memory(int device) {
  struct schedgpu_info info;
  return schedgpu_query(device, &info) == SCHEDGPU_OK && info.own_used_bytes > 0;
}

static bool must_fail(int device, uint64_t bytes) {
  enum sgp_first_try setting = sgp_setting_first_try();
  if (setting == SGP_FIRST_TRY_WAIT || *refused_on(device) >= bytes) /* this is the retry */
    return false;
  return (setting == SGP_FIRST_TRY_FAIL || sgp_pytorch_is_loaded()) && holds_memory(device);
}

/* The lock was not available in time: waits for it, as for memory. */
static bool would_wait(int error) {
  return error == SCHEDGPU_EWOULDBLOCK || error == SCHEDGPU_ELOCK;
}

/* The part that did not succeed at once. */
__attribute__((noinline, cold)) static int fail_or_wait(int error, int device, uint64_t bytes,
                                                        bool *retry) {
  if (error == SCHEDGPU_EWOULDBLOCK && must_fail(device, bytes)) {
    *refused_on(device) = bytes;
    *retry = true;
    return error;
  }
  if (would_wait(error))
    error = schedgpu_reserve(device, bytes, SCHEDGPU_JOB_WAIT);
  *refused_on(device) = 0;
  return error;
}

int sgp_first_try_reserve(int device, uint64_t bytes, bool *retry) {
  *retry = false;
  int error = schedgpu_reserve(device, bytes, SCHEDGPU_NO_WAIT);
  if (__builtin_expect(error != SCHEDGPU_OK, 0))
    return fail_or_wait(error, device, bytes, retry);
  if (*refused_on(device) != 0)
    *refused_on(device) = 0;
  return SCHEDGPU_OK;
}

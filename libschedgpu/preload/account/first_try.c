/* first_try.c - see first_try.h. */
#include "first_try.h"
#include "../../shell/client/growing.h"
#include "../join/caller.h"
#include "../join/pytorch.h"
#include "../join/refusal.h"
#include "../join/schedule.h"
#include "../join/settings.h"
#include "schedgpu/admin.h"
#include "schedgpu/schedgpu.h"
#include <stdatomic.h>

#define DEVICES SCHEDGPU_MAX_DEVICES

/** The size that this thread was refused on purpose on each device; 0 = none. */
static _Thread_local uint64_t refused_bytes[DEVICES];
/** Of the process, the last size beyond the budget that was neither asked for again nor told. */
static _Atomic uint64_t untold_bytes[DEVICES];
/** What the job used when a retry let its budget grow: it was needed although the cache was freed.
 */
static _Atomic uint64_t needed_bytes[DEVICES];
static atomic_uint growths;

static unsigned slot_of(int device) {
  return (unsigned)device % DEVICES;
}

static void tell(int device) {
  uint64_t bytes = atomic_exchange(&untold_bytes[slot_of(device)], 0);
  if (bytes == 0)
    return;
  sg_count_refusal(bytes);
  sgp_say_not_asked_again(device, bytes);
}

__attribute__((destructor)) static void tell_at_the_end(void) {
  for (int d = 0; d < DEVICES; d++)
    tell(d);
}

void sgp_first_try_after_fork(void) {
  for (int d = 0; d < DEVICES; d++) {
    refused_bytes[d] = 0;
    atomic_store(&untold_bytes[d], 0);
    atomic_store(&needed_bytes[d], 0);
  }
}

static bool holds_memory(int device) {
  struct schedgpu_info info;
  return schedgpu_query(device, &info) == SCHEDGPU_OK && info.own_used_bytes > 0;
}

/**
 * True if the program answers out of memory by freeing its cache and asking again.
 * SCHEDGPU_FIRST_TRY=fail promises that only for memory that would be waited for, not beyond the
 * budget.
 */
static bool frees_its_cache(int device, bool beyond_budget) {
  enum sgp_first_try setting = sgp_setting_first_try();
  if (setting == SGP_FIRST_TRY_WAIT)
    return false;
  bool told_to = setting == SGP_FIRST_TRY_FAIL && !beyond_budget;
  return holds_memory(device) && (told_to || (sgp_pytorch_is_loaded() && sgp_pytorch_asks()));
}

/** Of thousands of growths of another program, a few look for PyTorch in its mapped files. */
static bool is_looked_at(void) {
  unsigned n = atomic_fetch_add_explicit(&growths, 1, memory_order_relaxed) + 1;
  return (n & (n - 1)) == 0 || sgp_pytorch_was_found();
}

/** True if the request would let the budget grow further than was needed before. */
static bool grows_at_once(int device, uint64_t bytes) {
  uint64_t use_bytes;
  return sg_budget_would_grow(device, bytes, &use_bytes) &&
         use_bytes > atomic_load(&needed_bytes[slot_of(device)]) && is_looked_at() &&
         frees_its_cache(device, true);
}

static int fail_first(int device, uint64_t bytes, bool beyond_budget, bool *retry) {
  refused_bytes[slot_of(device)] = bytes;
  if (beyond_budget)
    atomic_store(&untold_bytes[slot_of(device)], bytes);
  *retry = true;
  return SCHEDGPU_EWOULDBLOCK;
}

/** True for an answer that the job's wait may change, or that counts only if it is given again. */
static bool is_asked_again(int error) {
  return error == SCHEDGPU_EWOULDBLOCK || error == SCHEDGPU_ELOCK || error == SCHEDGPU_EBUDGET ||
         error == SCHEDGPU_ETOOBIG;
}

/** The part that did not succeed at once. A refusal is told to the program now, and counted. */
__attribute__((noinline, cold)) static int fail_or_wait(int error, int device, uint64_t bytes,
                                                        bool *retry) {
  bool beyond_budget = error == SCHEDGPU_EBUDGET;
  if ((error == SCHEDGPU_EWOULDBLOCK || beyond_budget) && frees_its_cache(device, beyond_budget))
    return fail_first(device, bytes, beyond_budget, retry);
  return is_asked_again(error) ? schedgpu_reserve(device, bytes, SCHEDGPU_JOB_WAIT) : error;
}

/** Without a cache to free there is nothing to try first: the call is one request. */
static enum sg_asking asking(int device, uint64_t bytes) {
  if (grows_at_once(device, bytes))
    return SG_ASK_NOT;
  bool may_free_a_cache = sgp_setting_first_try() != SGP_FIRST_TRY_WAIT && holds_memory(device);
  return may_free_a_cache ? SG_ASK_ONCE : SG_ASK_AND_WAIT;
}

static int try_or_wait(int device, uint64_t bytes, bool *retry) {
  bool waited;
  int error = sg_reserve_as(device, bytes, asking, &waited);
  return __builtin_expect(error == SCHEDGPU_OK, 1) || waited
             ? error
             : fail_or_wait(error, device, bytes, retry);
}

static void note_answer(int device, bool grew, uint64_t use_bytes) {
  refused_bytes[slot_of(device)] = 0;
  atomic_store(&untold_bytes[slot_of(device)], 0);
  if (grew && use_bytes > atomic_load(&needed_bytes[slot_of(device)]))
    atomic_store(&needed_bytes[slot_of(device)], use_bytes);
}

/** After a refusal of this thread: the request may be its retry. */
__attribute__((noinline, cold)) static int ask_after_refusal(int device, uint64_t bytes,
                                                             bool *retry) {
  uint64_t use_bytes = 0;
  bool again = refused_bytes[slot_of(device)] >= bytes;
  if (!again)
    tell(device);
  bool grows = sg_budget_would_grow(device, bytes, &use_bytes);
  int error = again ? schedgpu_reserve(device, bytes, SCHEDGPU_JOB_WAIT)
                    : try_or_wait(device, bytes, retry);
  if (!*retry)
    note_answer(device, again && grows && error == SCHEDGPU_OK, use_bytes);
  return error;
}

int sgp_first_try_reserve(int device, uint64_t bytes, bool *retry) {
  *retry = false;
  if (__builtin_expect(refused_bytes[slot_of(device)] != 0, 0))
    return ask_after_refusal(device, bytes, retry);
  return try_or_wait(device, bytes, retry);
}

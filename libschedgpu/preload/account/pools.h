/*
 * pools.h - memory that the driver's pools hold. A pool takes memory of its device in large pieces
 * and caches freed memory. So its charge is what the driver reports as reserved
 * (CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT), never the sum of the allocations.
 *
 *   begin: claims what the pool can spare, and reserves the rest; may wait.
 *   end:   compares with the driver. False: the driver took more than is available now. Then the
 *          caller frees the memory and calls again(), which requests the true size. So no process
 *          holds memory while it waits for more.
 *
 * Freed memory is released when the driver releases it: at a synchronisation, or a trim.
 */
#ifndef SGP_POOLS_H
#define SGP_POOLS_H

#include "charge.h"
#include <stdatomic.h>

/** One call that allocates from a pool. */
struct sgp_pool_call {
  struct sgp_charge charge; /**< `charged`: a known pool; `refused`, `error` and pauses as usual */
  uint32_t pool;            /**< id */
  uint64_t bytes;           /**< bytes of the allocation */
  uint64_t claimed;         /**< in flight: the part of the pool's charge for this call */
  uint64_t excess;          /**< what the driver took beyond that in the last attempt */
  int rounds;               /**< attempts left */
};

/** Records the device of a pool's memory: an ordinal, or SGP_NO_DEVICE if it is not charged. */
void sgp_pool_note(CUmemoryPool pool, int device);
/** Reads the recorded ordinal of `pool`. False: unknown. */
bool sgp_pool_device(CUmemoryPool pool, int *device);

struct sgp_pool_call sgp_pool_begin(CUmemoryPool pool, int device, uint64_t bytes);
bool sgp_pool_end(struct sgp_pool_call *call, CUresult result, CUdeviceptr address);
void sgp_pool_again(struct sgp_pool_call *call);

/** An allocation of a pool was freed. */
void sgp_pool_freed(const struct sgp_entry *entry);

/**
 * Call before and after cuMemPoolDestroy: a pool that is being destroyed is not queried any more.
 */
void sgp_pool_leaving(CUmemoryPool pool);
void sgp_pool_left(CUmemoryPool pool, CUresult result);

/** True while memory may be charged that the driver can free without a hook. */
extern _Atomic bool sgp_pools_slack;
static inline bool sgp_pools_have_slack(void) {
  return atomic_load_explicit(&sgp_pools_slack, memory_order_relaxed);
}

#define SGP_ALL_DEVICES (-1)
/** Charges every pool of `device` (or of all devices) as the driver reports it. */
void sgp_pools_settle(int device);
/** The same, after asking the driver to free what the pools cache. */
void sgp_pools_trim(int device);

void sgp_pools_after_fork(void);

#endif

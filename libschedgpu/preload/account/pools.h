/*
 * pools.h - what the driver's memory pools hold. A pool takes memory of its device in large pieces
 * and keeps what is freed, so what is charged for it is what the driver says it has reserved
 * (CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT), never the sum of the allocations.
 *
 *   begin: claims what the pool has to spare, and reserves the rest; may wait.
 *   end:   compares with the driver; true if all is well. False: the driver took more than is to be
 *          had now. Then the caller gives the memory back and calls again(), which asks for the
 * true size: so nobody holds memory while waiting for more.
 *
 * Memory that is freed goes back when the driver gives it back: at a synchronisation, or when it is
 * trimmed.
 */
#ifndef SGP_POOLS_H
#define SGP_POOLS_H

#include "charge.h"
#include <stdatomic.h>

/** One call that allocates from a pool. */
struct sgp_pool_call {
  struct sgp_charge charge; /**< `charged`: a pool of ours; `refused`, `error` and pauses as ever */
  uint32_t pool;            /**< id */
  uint64_t bytes;           /**< of the allocation */
  uint64_t claimed;         /**< in flight: of what is charged for the pool, for this call */
  uint64_t excess;          /**< what the driver took beyond that, last time */
  int rounds;               /**< left */
};

/** Remembers where a pool's memory is: an ordinal, or SGP_NO_DEVICE if it is not ours to charge. */
void sgp_pool_note(CUmemoryPool pool, int device);
/** The ordinal noted for `pool`; false: it is not known. */
bool sgp_pool_device(CUmemoryPool pool, int *device);

struct sgp_pool_call sgp_pool_begin(CUmemoryPool pool, int device, uint64_t bytes);
bool sgp_pool_end(struct sgp_pool_call *call, CUresult result, CUdeviceptr address);
void sgp_pool_again(struct sgp_pool_call *call);

/** An allocation of a pool was freed. */
void sgp_pool_freed(const struct sgp_entry *entry);

/** Before and after cuMemPoolDestroy: a pool that is going is not asked any more. */
void sgp_pool_leaving(CUmemoryPool pool);
void sgp_pool_left(CUmemoryPool pool, CUresult result);

/** True while something may be charged that the driver gives back without our seeing it. */
extern _Atomic bool sgp_pools_slack;
static inline bool sgp_pools_have_slack(void) {
  return atomic_load_explicit(&sgp_pools_slack, memory_order_relaxed);
}

#define SGP_ALL_DEVICES (-1)
/** Charges every pool of `device` (or of all) as the driver says. */
void sgp_pools_settle(int device);
/** The same, after the driver was asked to give back what the pools keep. */
void sgp_pools_trim(int device);

void sgp_pools_after_fork(void);

#endif

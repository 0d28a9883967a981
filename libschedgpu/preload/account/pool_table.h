/*
 * pool_table.h - the table of known pools, for pools.c and pool_call.c. Call all functions but the
 * first two with the table locked.
 */
#ifndef SGP_POOL_TABLE_H
#define SGP_POOL_TABLE_H

#include "pools.h"

struct sgp_pool {
  CUmemoryPool handle;
  uint32_t id;
  int device;
  bool gone; /* destroyed, or being destroyed: the handle may not be used */
  uint64_t
      charged;   /* bytes reserved for it; never less than the driver holds, except for a moment */
  uint64_t live; /* allocated and not freed */
  uint64_t in_flight; /* bytes claimed by calls in progress */
  uint64_t uncharged; /* bytes that the driver holds and that could not be charged */
  struct sgp_pool *next;
};

/** Held during queries of the driver about pools, never during anything that may wait. */
void sgp_pools_lock(void);
void sgp_pools_unlock(void);

struct sgp_pool *sgp_pool_find_id(uint32_t id);
/** NULL: out of memory. */
struct sgp_pool *sgp_pool_find_or_add(CUmemoryPool handle, int device);

/**
 * Charges what the driver holds, and what calls in progress may make it hold. Returns the bytes
 * that could not be charged.
 */
uint64_t sgp_pool_settle(struct sgp_pool *pool);

/** Forgets pools that are destroyed and have nothing left. */
void sgp_pools_drop_destroyed(void);

#endif

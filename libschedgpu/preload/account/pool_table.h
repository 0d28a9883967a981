/*
 * pool_table.h - the pools that are known, for pools.c and pool_call.c. All functions but the first
 * two with the table locked.
 */
#ifndef SGP_POOL_TABLE_H
#define SGP_POOL_TABLE_H

#include "pools.h"

struct sgp_pool {
  CUmemoryPool handle;
  uint32_t id;
  int device;
  bool gone;          /* or going: the handle may not be used */
  uint64_t charged;   /* reserved for it; never less than the driver holds, but for a moment */
  uint64_t live;      /* allocated and not freed */
  uint64_t in_flight; /* claimed by calls on their way */
  uint64_t missed;    /* held by the driver and not charged: there was no room */
  struct sgp_pool *next;
};

/** Held over questions to the driver about pools, never over what may wait. */
void sgp_pools_lock(void);
void sgp_pools_unlock(void);

struct sgp_pool *sgp_pool_find_id(uint32_t id);
/** NULL for lack of memory. */
struct sgp_pool *sgp_pool_find_or_add(CUmemoryPool handle, int device);

/**
 * Charges what the driver holds, and what calls on their way may make it hold. Returns what it
 * holds beyond what could be charged.
 */
uint64_t sgp_pool_settle(struct sgp_pool *pool);

/** Forgets pools that are destroyed and have nothing left. */
void sgp_pools_drop_the_gone(void);

#endif

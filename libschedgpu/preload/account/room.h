/*
 * room.h - lets the driver free its caches for the pools and graphs of this process, before the
 * process waits for memory or is refused.
 */
#ifndef SGP_ROOM_H
#define SGP_ROOM_H

#include "graphs.h"
#include "pools.h"

/** True if there may be anything to free. Costs two loads. */
static inline bool sgp_may_make_room(void) {
  return sgp_pools_have_slack() || sgp_graphs_have_memory();
}

/** Reserves without waiting, and frees more and more caches for it. False: it does not fit. */
bool sgp_reserve_making_room(int device, uint64_t bytes);

/** Charges pools and graphs as the driver reports them. */
void sgp_room_settle(void);

#endif

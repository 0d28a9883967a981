/*
 * room.h - before this process waits for memory, or is told that its budget is used up, the driver
 * gives back what it keeps for this process's pools and graphs and does not use.
 */
#ifndef SGP_ROOM_H
#define SGP_ROOM_H

#include "graphs.h"
#include "pools.h"

/** Whether there may be anything to give back: two loads. */
static inline bool sgp_may_make_room(void) {
  return sgp_pools_have_slack() || sgp_graphs_have_memory();
}

/** Reserves without waiting, and gives back more and more for it. False: it does not fit. */
bool sgp_reserve_making_room(int device, uint64_t bytes);

/** Charges pools and graphs as the driver says. */
void sgp_room_settle(void);

void sgp_room_after_fork(void);

#endif

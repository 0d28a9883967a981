/* room.c - see room.h. */
#include "room.h"

bool sgp_reserve_making_room(int device, uint64_t bytes) {
  if (sgp_reserve_now(device, bytes))
    return true;
  sgp_pools_settle(device);
  if (sgp_reserve_now(device, bytes))
    return true;
  sgp_pools_trim(device);
  sgp_graphs_trim(device);
  return sgp_reserve_now(device, bytes);
}

void sgp_room_settle(void) {
  sgp_pools_settle(SGP_ALL_DEVICES);
  sgp_graphs_settle();
}

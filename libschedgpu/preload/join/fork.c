/* fork.c - see fork.h. Each module resets what is its own. */
#include "fork.h"
#include "../account/contexts.h"
#include "../account/first_try.h"
#include "../account/graphs.h"
#include "../account/green.h"
#include "../account/ledger.h"
#include "../account/physical.h"
#include "../account/pools.h"
#include "../account/reserve.h"
#include "../account/tiles.h"
#include "../lane/door.h"
#include "../lane/lane_memory.h"
#include "../turns/turns.h"
#include "devices.h"
#include "schedule.h"

void sgp_after_fork(void) {
  sgp_reserve_after_fork();
  sgp_ledger_after_fork();
  sgp_physical_after_fork();
  sgp_tiles_after_fork();
  sgp_green_after_fork();
  sgp_contexts_after_fork();
  sgp_pools_after_fork();
  sgp_graphs_after_fork();
  sgp_door_after_fork();
  sgp_lane_pool_after_fork();
  sgp_lane_after_fork();
  sgp_turns_after_fork();
  sgp_captures_after_fork();
  sgp_keeper_after_fork();
  sgp_first_try_after_fork();
  sgp_devices_forget();
  sgp_schedule_after_fork(); /* last: it lets the child decide again */
}

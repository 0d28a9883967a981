/*
 * lane_memory.h - what the region knows of the memory of a shared lane (core/lanes/lane_share.c),
 * for the preload library, which maps it.
 */
#ifndef SG_LANE_MEMORY_H
#define SG_LANE_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

enum { SG_LANE_DOORS = 16 };

/** The shared lane of this process, as of now. */
struct sg_lane_view {
  uint64_t limit_bytes; /**< the ephemeral memory of the job: the most that the process may map */
  uint64_t most_bytes;  /**< that one of the other live processes maps */
  uint32_t lane;
  uint32_t count;
  uint32_t door[SG_LANE_DOORS]; /**< of processes that map as much */
};

/**
 * Reads the lane, without processes that have died. The process must have the turn: until it ends
 * its iteration nobody else maps more. ENOJOB, EDEVICE, EINVAL: it shares no lane on the device;
 * ETURN: it has not the turn.
 */
int sg_lane_memory_view(int device, struct sg_lane_view *view);
/** Notes that this process maps so many bytes and passes them on at `door`; 0: none. Before it maps
 * them, and after it has unmapped them. */
int sg_lane_memory_note(int device, uint64_t bytes, uint32_t door);
/** The bytes that are noted for this process; takes no lock. */
uint64_t sg_lane_memory_noted(int device);

enum sg_lane_kind { SG_NO_LANE, SG_IN_LANE, SG_SHARES_LANE };
/** What the job of this process has; for messages, as it takes no lock. Compute turns are a lane.
 */
enum sg_lane_kind sg_lane_kind(void);

#endif

/*
 * lane_memory.h - the memory of a shared lane in this process: one range of addresses, to which the
 * pieces are mapped that the members of the lane have in common (pieces.h, door.h).
 *
 * It is not charged to the job: the region reserves the lane once, for all members
 * (core/lanes/lane_share.c), and what a member may map is what it may not allocate by itself.
 */
#ifndef SGP_LANE_MEMORY_H
#define SGP_LANE_MEMORY_H

#include <stdint.h>

/** See schedgpu_lane_memory_function in schedgpu.h. Thread-safe. */
int schedgpu_lane_memory(int device, uint64_t *address, uint64_t *bytes)
    __attribute__((visibility("hidden")));

/** In a forked child: forgets the blocks of lane_pool.c. */
void sgp_lane_pool_after_fork(void);

/** In a forked child, which maps nothing: closes the descriptors, which would keep the memory. */
void sgp_lane_after_fork(void);

#endif

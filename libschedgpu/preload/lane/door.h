/*
 * door.h - how the pieces of a lane go from process to process: as descriptors, through a UNIX
 * socket of each process that has them, served by a thread. Only processes of the same user get
 * any: where users may look alike (a user namespace without a map of all), nobody does. The kernel
 * chooses the socket's name, which nobody else can take; it has no file.
 */
#ifndef SGP_DOOR_H
#define SGP_DOOR_H

#include <stdbool.h>
#include <stdint.h>

/** Opens the door; its number, 0 if that is not possible. Again: the same door. */
uint32_t sgp_door_open(void);
/** Offers pieces of this lane, and no more those of before. The descriptors stay the caller's. */
void sgp_door_offer(uint32_t lane, const int *pieces, unsigned count);

/**
 * Asks a door for the pieces `first` to `end` - 1 of the lane, and stores their descriptors in
 * `pieces`, which is indexed by piece. Returns the first one that it did not get.
 */
unsigned sgp_door_ask(uint32_t door, uint32_t lane, unsigned first, unsigned end, int *pieces);

/** In a forked child, which has no lane: closes the socket. */
void sgp_door_after_fork(void);

#endif

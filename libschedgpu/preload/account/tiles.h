/*
 * tiles.h - what arrays without memory of their own (sparse, deferred mapping) are mapped to: each
 * tile is a use of memory of cuMemCreate, until it is unmapped, mapped to something else, or the
 * array goes. Tiles that overlap without being the same stay until the array goes. Thread-safe.
 */
#ifndef SGP_TILES_H
#define SGP_TILES_H

#include "../hooks/driver_abi.h"
#include <stdbool.h>

struct sgp_tile;
struct sgp_node;

/** Remembers a new array of `context`; `whole`: it is mapped in one piece. */
void sgp_tiles_array(uint64_t array, uint32_t context, bool whole);

/** Before the driver maps: holds the memory of the list. */
struct sgp_tile *sgp_tiles_prepare(const CUarrayMapInfo *list, unsigned count);
/** After it: `mapped`, in an array of `context` if it is not known yet, or nothing happened. */
void sgp_tiles_settle(struct sgp_tile *tiles, bool mapped, uint32_t context);

/** Before the driver destroys an array: takes it out. NULL if it is not known. */
struct sgp_node *sgp_tiles_take_array(uint64_t array);
/** After it: the array is gone, or put back as it was. */
void sgp_tiles_settle_array(struct sgp_node *array, bool gone);

/** Forgets the arrays of a context. */
void sgp_tiles_context_gone(uint32_t context);

/** In a forked child: forgets all. */
void sgp_tiles_after_fork(void);

#endif

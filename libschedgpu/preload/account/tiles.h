/*
 * tiles.h - tiles of arrays without memory of their own (sparse, deferred mapping). Each tile is a
 * use of memory of cuMemCreate until it is unmapped, mapped to something else, or the array is
 * destroyed. Tiles that overlap without being equal stay until the array is destroyed. Thread-safe.
 */
#ifndef SGP_TILES_H
#define SGP_TILES_H

#include "../../abi/driver_abi.h"
#include <stdbool.h>

struct sgp_tile;
struct sgp_node;

/** Records a new array of `context`; `whole`: it is mapped in one piece. */
void sgp_tiles_array(uint64_t array, uint32_t context, bool whole);

/** Call before the driver maps: takes a use of the memory in the list. */
struct sgp_tile *sgp_tiles_prepare(const CUarrayMapInfo *list, unsigned count);
/**
 * Call after it: `mapped`, in an array of `context` if it is not known yet, or nothing happened.
 */
void sgp_tiles_settle(struct sgp_tile *tiles, bool mapped, uint32_t context);

/** Call before the driver destroys an array: removes it. NULL if it is not known. */
struct sgp_node *sgp_tiles_take_array(uint64_t array);
/** Call after it: the array is gone, or restored as it was. */
void sgp_tiles_settle_array(struct sgp_node *array, bool gone);

/** Forgets the arrays of a context. */
void sgp_tiles_context_ended(uint32_t context);

/** In a forked child: forgets everything. */
void sgp_tiles_after_fork(void);

#endif

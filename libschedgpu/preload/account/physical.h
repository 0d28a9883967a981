/*
 * physical.h - physical memory, which cuMemCreate makes without an address. It is charged until its
 * last handle is released and its last mapping is gone; it belongs to no context. Everything that
 * keeps it alive holds a use: each reference of a handle, each mapping, each tile of a sparse
 * array, and a hook between two steps. The functions pass uses on; the last one releases the
 * reservation. Thread-safe.
 */
#ifndef SGP_PHYSICAL_H
#define SGP_PHYSICAL_H

#include <stdbool.h>
#include <stdint.h>

struct sgp_physical;
struct sgp_node;

/** Records charged memory, with one reference of `handle`. */
void sgp_physical_made(uint64_t handle, int device, uint64_t bytes);

/** Gives the caller a use of the memory of `handle`; NULL if it is unknown. */
struct sgp_physical *sgp_physical_hold(uint64_t handle);
/** The same for the memory that is mapped at `address`. */
struct sgp_physical *sgp_physical_hold_at(uint64_t address);
/** Ends a use of the caller. */
void sgp_physical_release(struct sgp_physical *memory);

/** The caller's use becomes a reference of `handle`. */
void sgp_physical_put_handle(struct sgp_physical *memory, uint64_t handle);
/** A reference of `handle` becomes the caller's use; NULL if it is unknown. */
struct sgp_physical *sgp_physical_take_handle(uint64_t handle);

/** The caller's use becomes a mapping. */
void sgp_physical_put_mapping(struct sgp_physical *memory, uint64_t address, uint64_t bytes);
/** Removes the mappings that begin in the range, and returns them; NULL if there are none. */
struct sgp_node *sgp_physical_take_mappings(uint64_t address, uint64_t bytes);
/** Settles removed mappings: `gone`, or restored as they were. */
void sgp_physical_settle_mappings(struct sgp_node *mappings, bool gone);

/** In a forked child: forgets everything, as the child holds nothing. */
void sgp_physical_after_fork(void);

#endif

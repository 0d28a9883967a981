/*
 * contexts.h - the contexts of this process that were admitted, and the current one. An id is never
 * used again, while the driver may give a new context the address of an old one.
 */
#ifndef SGP_CONTEXTS_H
#define SGP_CONTEXTS_H

#include "../hooks/driver_abi.h"
#include <stdbool.h>

enum { SGP_LIMITS = 3 }; /* the first ones of CUlimit */

struct sgp_context {
  CUcontext context;
  CUdevice device;
  int ordinal;
  uint32_t id;    /**< not 0 */
  uint32_t users; /**< of a context that is not a primary one: who made it and who attached to it */
  bool primary;
  uint64_t first_limit[SGP_LIMITS]; /**< before the program set it; 0: it did not */
};

/**
 * Remembers an admitted context. False if it is known already: then `*context` is filled from the
 * record, and the caller has admitted it once too often.
 */
bool sgp_context_add(struct sgp_context *context);

/** Finds the record of `context`. */
bool sgp_context_find(CUcontext context, struct sgp_context *found);
/** Finds the record of the primary context of `device`. */
bool sgp_context_find_primary(CUdevice device, struct sgp_context *found);

/** Counts one more user of `context`, as cuCtxAttach does. */
void sgp_context_attached(CUcontext context);

/** What `limit` of the context with this id was at first; `now` if that was not asked before. */
uint64_t sgp_context_first_limit(uint32_t id, CUlimit limit, uint64_t now);

enum sgp_detached { SGP_UNKNOWN_CONTEXT, SGP_STILL_ATTACHED, SGP_LAST_DETACHED };
/** Counts one user less; when it was the last, the record is removed. */
enum sgp_detached sgp_context_detached(CUcontext context, struct sgp_context *record);

/** Removes the record with this id; false if another thread did. */
bool sgp_context_remove(uint32_t id);
/** Puts a removed record back, as it was. */
void sgp_context_put_back(const struct sgp_context *context);

/** A context is gone: forgets and releases what it owned, and leaves it. */
void sgp_context_gone(const struct sgp_context *context);

/** Where an allocation goes. */
struct sgp_place {
  int ordinal;         /**< SGP_NO_DEVICE: not ours to charge */
  uint32_t context_id; /**< owner of the memory, 0 = none */
  bool refused;        /**< the context may not be had: return `error` */
  CUresult error;
};

/**
 * The place of an allocation in the current context. A context that no hook saw is admitted now
 * (the runtime may get one through the driver's export tables).
 */
struct sgp_place sgp_current_place(void);
/** Ordinal of the current device, or SGP_NO_DEVICE; admits nothing. */
int sgp_current_ordinal(void);

/** The primary context of `device`, NULL if it is not active. Adds no context. */
CUcontext sgp_primary_context(CUdevice device);

/** Threads find their place anew: what a CUcontext stands for has changed. */
void sgp_places_changed(void);

/** Serialises the driver's calls on primary contexts with the records about them. */
void sgp_primary_lock(void);
void sgp_primary_unlock(void);

void sgp_contexts_after_fork(void);

#endif

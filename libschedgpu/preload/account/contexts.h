/*
 * contexts.h - the admitted contexts of this process, and the current one. Ids are never reused,
 * although the driver may give a new context the address of an old one.
 */
#ifndef SGP_CONTEXTS_H
#define SGP_CONTEXTS_H

#include "../../abi/driver_abi.h"
#include <stdbool.h>

enum { SGP_LIMITS = 3 }; /* the first ones of CUlimit */

struct sgp_context {
  CUcontext context;
  CUdevice device;
  int ordinal;
  uint32_t id;    /**< not 0 */
  uint32_t users; /**< users of a context that is not primary: its creator, and attached ones */
  bool primary;
  uint64_t first_limit[SGP_LIMITS]; /**< the limit before the program set it; 0: never set */
};

/**
 * Records an admitted context. False if it is known already: then `*context` is filled from the
 * record, and the caller has admitted it twice.
 */
bool sgp_context_add(struct sgp_context *context);

/** Finds the record of `context`. */
bool sgp_context_find(CUcontext context, struct sgp_context *found);
/** Finds the record of the primary context of `device`. */
bool sgp_context_find_primary(CUdevice device, struct sgp_context *found);

/** Finds the record with the smallest id above `id`. */
bool sgp_context_after(uint32_t id, struct sgp_context *found);

/** Adds a user of `context`, as cuCtxAttach does. */
void sgp_context_attached(CUcontext context);

/** The initial value of `limit` in the context with this id; `now` at the first call. */
uint64_t sgp_context_first_limit(uint32_t id, CUlimit limit, uint64_t now);

enum sgp_detached { SGP_UNKNOWN_CONTEXT, SGP_STILL_ATTACHED, SGP_LAST_DETACHED };
/** Removes a user, and the record with the last one. */
enum sgp_detached sgp_context_detached(CUcontext context, struct sgp_context *record);

/** Removes the record with this id. False if another thread did. */
bool sgp_context_remove(uint32_t id);
/** Restores a removed record. */
void sgp_context_put_back(const struct sgp_context *context);

/** A context is gone: forgets and releases its memory, and the context itself. */
void sgp_context_ended(const struct sgp_context *context);

/** Where an allocation goes. */
struct sgp_place {
  int ordinal;         /**< SGP_NO_DEVICE: not charged */
  uint32_t context_id; /**< owner of the memory, 0 = none */
  bool refused;        /**< the context is refused: return `error` */
  CUresult error;
};

/**
 * The place of an allocation in the current context. Admits a context that no hook saw (the runtime
 * may create one through the driver's export tables).
 */
struct sgp_place sgp_current_place(void);
/** Ordinal of the current device, or SGP_NO_DEVICE; admits nothing. */
int sgp_current_ordinal(void);

/** The primary context of `device`, NULL if it is not active. Adds no context. */
CUcontext sgp_primary_context(CUdevice device);

/** Serialises calls on primary contexts with the records about them. */
void sgp_primary_lock(void);
void sgp_primary_unlock(void);

void sgp_contexts_after_fork(void);

#endif

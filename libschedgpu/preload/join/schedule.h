/*
 * schedule.h - between the hooks and the client API: whether this process is scheduled at all, what
 * an error of the API means for a CUDA program, and which line it is worth.
 */
#ifndef SGP_SCHEDULE_H
#define SGP_SCHEDULE_H

#include "../hooks/driver_abi.h"
#include <stdbool.h>

enum sgp_mode {
  SGP_MODE_UNKNOWN, /**< nothing that needs a region was called yet */
  SGP_MODE_OFF,     /**< no job, or it cannot be scheduled and may run */
  SGP_MODE_REFUSE,  /**< it cannot be scheduled and may not run */
  SGP_MODE_ON,
};

/** Attaches at the first call. Thread-safe; a forked child decides anew. */
enum sgp_mode sgp_mode(void);

/** What a hook does after it asked for memory. */
struct sgp_verdict {
  bool charged; /**< reserved: must be released when the memory goes */
  bool refused; /**< do not call the driver, return `error` */
  CUresult error;
};

/** Reserves, waiting as the job does (first_try.h). Says why when it refuses. */
struct sgp_verdict sgp_reserve(int device, uint64_t bytes);
/** The same without waiting or a word; false: not now. */
bool sgp_reserve_now(int device, uint64_t bytes);
/** Admits a context, waiting as the job does. */
struct sgp_verdict sgp_admit_context(int device);

/** Gives back; errors do not matter to the program (the job may have ended). */
void sgp_release(int device, uint64_t bytes);
void sgp_leave_context(int device);

#endif

/*
 * schedule.h - between the hooks and the client API: decides whether this process is scheduled at
 * all. Requests that may wait: account/reserve.h.
 */
#ifndef SGP_SCHEDULE_H
#define SGP_SCHEDULE_H

#include "../../abi/driver_abi.h"
#include <stdbool.h>

enum sgp_mode {
  SGP_MODE_UNKNOWN, /**< no call that needs a region so far */
  SGP_MODE_OFF,     /**< no job, or it cannot be scheduled and may run */
  SGP_MODE_REFUSE,  /**< it cannot be scheduled and may not run */
  SGP_MODE_ON,
};

/** Attaches at the first call. Thread-safe; a forked child decides again. */
enum sgp_mode sgp_mode(void);

/** What follows from an error of the API that is none of CUDA's: OFF or REFUSE, with a message. */
enum sgp_mode sgp_mode_after(int error);

/** The action of a hook after a request for memory. */
struct sgp_verdict {
  bool charged; /**< reserved: release it with the memory */
  bool refused; /**< do not call the driver, return `error` */
  CUresult error;
};

/** Reserves without a wait and a message. False: it does not fit now. */
bool sgp_reserve_now(int device, uint64_t bytes);

/** Releases memory. Errors do not matter to the program (the job may have ended). */
void sgp_release(int device, uint64_t bytes);
void sgp_leave_context(int device);

void sgp_schedule_after_fork(void);

#endif

/*
 * forecast.h - forecasts a queue on a copy of the region, with a clock of the caller. It uses the
 * same transitions as the node (docs/reference/rules.md), so an estimate follows the same policy,
 * bound and deadlock rule. It never touches the region itself.
 *
 * Thread-safety: a forecast is used by one thread at a time. Errors: functions that can fail return
 * 0 or a negative schedgpu_error.
 */
#ifndef SCHEDGPU_FORECAST_H
#define SCHEDGPU_FORECAST_H

#include "schedgpu/admin.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct schedgpu_forecast schedgpu_forecast;

/** Why a request waits now. */
enum schedgpu_why {
  SCHEDGPU_WHY_NEXT = 0,         /**< it fits and is next: about to be granted */
  SCHEDGPU_WHY_MEMORY = 1,       /**< more memory is needed than is free on `device` */
  SCHEDGPU_WHY_NOT_ADMITTED = 2, /**< its contexts, beside the largest budget, do not fit yet */
  SCHEDGPU_WHY_CONTEXT = 3,      /**< one more context does not fit yet */
  SCHEDGPU_WHY_UNSAFE = 4,       /**< it fits, but could lead to a deadlock (rule `avoid`) */
  SCHEDGPU_WHY_OLDER = 5,        /**< it fits, but `ticket` is older and blocks it */
  SCHEDGPU_WHY_PRIORITY = 6,     /**< it fits, but `ticket` has a higher priority */
  SCHEDGPU_WHY_KEPT = 7,    /**< it fits, but memory is kept for `ticket`, overtaken too often */
  SCHEDGPU_WHY_GONE = 8,    /**< no such request waits */
  SCHEDGPU_WHY_SMALLER = 9, /**< it fits, but `ticket` has the same priority and is smaller */
};

struct schedgpu_reason {
  uint32_t why;    /**< enum schedgpu_why */
  uint32_t device; /**< the device that decides */
  uint64_t ticket; /**< the request that goes first; 0 if there is none */
};

/**
 * Starts a forecast from `snapshot`, the `size` bytes of schedgpu_admin_snapshot(), which it
 * copies. Close `*forecast` with schedgpu_forecast_close(); it is NULL on failure. Errors:
 * EVERSION: not a snapshot of this version; ESYSTEM: out of memory.
 */
SCHEDGPU_API int schedgpu_forecast_open(const void *snapshot, uint64_t size,
                                        schedgpu_forecast **forecast);
SCHEDGPU_API void schedgpu_forecast_close(schedgpu_forecast *forecast);

/** Writes why the request with this ticket waits. */
SCHEDGPU_API void schedgpu_forecast_reason(schedgpu_forecast *forecast, uint64_t ticket,
                                           struct schedgpu_reason *reason);

/** Ends the job with all of its processes, and serves waiters. Errors: ENOJOB. */
SCHEDGPU_API int schedgpu_forecast_end(schedgpu_forecast *forecast, uint32_t kind, uint64_t job_id,
                                       uint64_t now_ns);

/** Removes the request from its queue. Errors: ENOJOB: no such request waits. */
SCHEDGPU_API int schedgpu_forecast_give_up(schedgpu_forecast *forecast, uint64_t ticket,
                                           uint64_t now_ns);

/** Lets time pass until `now_ns`: budgets may have become idle. */
SCHEDGPU_API void schedgpu_forecast_pass(schedgpu_forecast *forecast, uint64_t now_ns);

/**
 * 1 while the request waits, else 0. A job in mode `peak` that was granted a context asks for its
 * budget next: its request waits until it has that, too.
 */
SCHEDGPU_API int schedgpu_forecast_waits(const schedgpu_forecast *forecast, uint64_t ticket);

/**
 * Fetches the tickets that have stopped waiting since the last call: served, given up, or ended
 * with their job. Returns the number written, at most `max`; call again if it is `max`.
 */
SCHEDGPU_API uint32_t schedgpu_forecast_left(schedgpu_forecast *forecast, uint64_t *tickets,
                                             uint32_t max);

#ifdef __cplusplus
}
#endif
#endif

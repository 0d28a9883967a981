/*
 * message.h - messages of the library: one line on stderr, once per reason and process. It may run
 * in any program, so a closed stderr or a broken pipe has no effect.
 */
#ifndef SGP_MESSAGE_H
#define SGP_MESSAGE_H

enum sgp_reason {
  SGP_NO_DLSYM,
  SGP_UNSCHEDULED, /**< the region or the job cannot be used */
  SGP_REFUSED,
  SGP_FOREIGN_DEVICE,
  SGP_OVER_BUDGET,
  SGP_TOO_BIG,
  SGP_TIMED_OUT,
  SGP_MAY_NOT_WAIT,
  SGP_DEADLOCK,
  SGP_DRIVER_LATE,
  SGP_DRIVER_FULL,
  SGP_BAD_FIRST_TRY, /**< a setting with an invalid word */
  SGP_BAD_MANAGED,
  SGP_NO_LANE_MEMORY,
  SGP_DRIVER_FIRST, /**< no hook is called */
  SGP_NO_KEEPER,    /**< launches take no turns */
  SGP_NO_PYTHON_MODULE,
  SGP_REASONS
};

/** Writes "schedgpu: ..." and a newline to stderr if `reason` was not given before. */
void sgp_say_once(enum sgp_reason reason, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif

/*
 * registration.h - registers a job of `schedgpu run`: in the region, or by the agent if only the
 * agent may write the region. Used by one thread at a time, except for sgr_registration_end().
 */
#ifndef SGR_REGISTRATION_H
#define SGR_REGISTRATION_H

#include "schedgpu/run.h"
#include <stdbool.h>

struct sgr_registration {
  schedgpu_admin *admin; /**< NULL: the agent registers the job */
  schedgpu_run *run;     /**< NULL: the job is registered in the region */
  struct schedgpu_setup devices;
  struct schedgpu_job_spec job; /**< its id is 0 before it begins */
  char *error;                  /**< buffer for error messages */
  size_t error_size;
};

/**
 * Opens the region or the connection to the agent, and reads the devices. SCHEDGPU_OK, or an error
 * with a message.
 */
int sgr_registration_open(struct sgr_registration *registration, const char *run_dir);

/**
 * Begins `registration->job`, owned by this process; then `registration->job` has the values as
 * decided. Errors as above.
 */
int sgr_registration_begin(struct sgr_registration *registration);

/** Writes the hint at the end of the job. False if there is none. */
bool sgr_registration_hint(struct sgr_registration *registration, char *text, size_t size);

/** Ends the job if it has begun. May be called while another thread waits in schedgpu_gate(). */
void sgr_registration_end(struct sgr_registration *registration);

#endif

/*
 * place.h - registers a job of `schedgpu run`: in the region, or by the agent if only the agent may
 * write the region. Used by one thread at a time, except for sgr_place_end().
 */
#ifndef SGR_PLACE_H
#define SGR_PLACE_H

#include "schedgpu/run.h"
#include <stdbool.h>

struct sgr_place {
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
int sgr_place_open(struct sgr_place *place, const char *run_dir);

/**
 * Begins `place->job`, owned by this process; then `place->job` has the values as decided. Errors
 * as above.
 */
int sgr_place_begin(struct sgr_place *place);

/** Writes the hint at the end of the job. False if there is none. */
bool sgr_place_hint(struct sgr_place *place, char *text, size_t size);

/** Ends the job if it has begun. May be called while another thread waits in schedgpu_gate(). */
void sgr_place_end(struct sgr_place *place);

#endif

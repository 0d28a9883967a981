/*
 * place.h - where a job of `schedgpu run` is registered: in the region, or by the agent, where only
 * that may write the region. Used by one thread at a time, but for sgr_place_end().
 */
#ifndef SGR_PLACE_H
#define SGR_PLACE_H

#include "schedgpu/run.h"
#include <stdbool.h>

struct sgr_place {
  schedgpu_admin *admin; /**< NULL: the agent has it */
  schedgpu_run *run;     /**< NULL: the region has it */
  struct schedgpu_setup devices;
  struct schedgpu_job_spec job; /**< its id is 0 until it is begun */
  char *error;                  /**< what went wrong, and why */
  size_t error_size;
};

/** Opens it, and looks for the devices. SCHEDGPU_OK, or an error with its reason. */
int sgr_place_open(struct sgr_place *place, const char *run_dir);

/** Begins `place->job` as this process's own; then it is as it was decided. Errors as above. */
int sgr_place_begin(struct sgr_place *place);

/** The hint at the job's end; false if there is nothing to say, or nothing is known. */
bool sgr_place_hint(struct sgr_place *place, char *text, size_t size);

/** Ends the job, if it was begun. Also while another thread waits in schedgpu_gate(). */
void sgr_place_end(struct sgr_place *place);

#endif

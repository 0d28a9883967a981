/* run_decision.c - see run_decision.h. */
#include "run_decision.h"
#include "../conf/conf_file.h"
#include <stdio.h>
#include <stdlib.h>

int sg_run_decide(const struct sg_conf *conf, const struct schedgpu_setup *devices,
                  const struct sg_job_options *options, uint32_t uid, uint64_t learned_bytes,
                  struct schedgpu_job_spec *spec, bool *learned, char *error, size_t error_size) {
  struct sg_conf *of_site = malloc(sizeof *of_site);
  struct sg_conf_devices *there = calloc(1, sizeof *there);
  int rc = SCHEDGPU_ESYSTEM;
  if (of_site && there) {
    *of_site = *conf;
    sg_copy_text(of_site->safety_margin, sizeof of_site->safety_margin, "0"); /* in the reserves */
    there->count = devices->device_count;
    for (uint32_t d = 0; d < there->count; d++)
      there->device[d].spec = devices->device[d];
    rc = sg_decide_run(of_site, there, options, uid, learned_bytes, spec, learned, NULL, 0, error,
                       error_size);
  } else {
    snprintf(error, error_size, "not enough memory to decide");
  }
  free(there);
  free(of_site);
  return rc;
}

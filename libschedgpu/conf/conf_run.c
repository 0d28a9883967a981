/* conf_run.c - the decision about a job of `schedgpu run`, for the command. */
#include "conf_keys.h"
#include "learned.h"
#include "schedgpu/conf_text.h"
#include <stdlib.h>
#include <string.h>

/** Longer than any right value, and no value: what cannot be kept must not become another one. */
#define TOO_LONG "(too long)"

static void take(char *to, size_t size, const char *text) {
  if (text && sg_copy_text(to, size, text) != SCHEDGPU_OK)
    sg_copy_text(to, size, TOO_LONG);
}

static void take_options(const struct schedgpu_run_wish *wish, struct sg_job_options *options) {
  *options = (struct sg_job_options){.of_run = true};
  take(options->mem, sizeof options->mem, wish->mem);
  take(options->priority, sizeof options->priority, wish->priority);
  take(options->mode, sizeof options->mode, wish->mode);
  take(options->wait, sizeof options->wait, wish->wait);
  take(options->processes, sizeof options->processes, wish->processes);
  take(options->overflow, sizeof options->overflow, wish->overflow);
  sg_take_job_name(options, wish->name ? wish->name : "");
}

int schedgpu_run_check(const struct schedgpu_run_wish *wish, char *error, size_t error_size) {
  struct sg_job_options options;
  take_options(wish, &options);
  return sg_options_check(&options, error, error_size);
}

/** The region's devices have the margin in what they reserve. */
static int read_conf(const char *path, const char *text, size_t length, struct sg_conf *conf,
                     char *error, size_t error_size) {
  struct sg_problems problems;
  sg_problems_init(&problems, path, error, error_size);
  FILE *file = length > 0 ? fmemopen((void *)(uintptr_t)text, length, "r") : NULL;
  if (length > 0 && !file)
    return SCHEDGPU_ESYSTEM;
  sg_conf_read_file(file, conf, NULL, &problems);
  if (file)
    fclose(file);
  sg_copy_text(conf->safety_margin, sizeof conf->safety_margin, "0");
  return problems.count == 0 ? SCHEDGPU_OK : SCHEDGPU_EINVAL;
}

static void take_devices(const struct schedgpu_setup *from, struct sg_conf_devices *to) {
  to->count = from->device_count;
  for (uint32_t d = 0; d < to->count; d++)
    to->device[d].spec = from->device[d];
}

int schedgpu_run_decide(const char *path, const char *text, size_t length,
                        const struct schedgpu_setup *devices, const struct schedgpu_run_wish *wish,
                        uint32_t uid, struct schedgpu_job_spec *spec, char *error,
                        size_t error_size) {
  struct sg_conf *conf = malloc(sizeof *conf);
  struct sg_conf_devices *there = calloc(1, sizeof *there);
  struct sg_job_options options;
  bool learned = false;
  int rc =
      conf && there ? read_conf(path, text, length, conf, error, error_size) : SCHEDGPU_ESYSTEM;
  if (rc == SCHEDGPU_OK) {
    take_options(wish, &options);
    take_devices(devices, there);
    rc = sg_decide_run(conf, there, &options, uid, wish->learned_bytes, spec, &learned, NULL, 0,
                       error, error_size);
  }
  free(there);
  free(conf);
  return rc == SCHEDGPU_OK && learned ? 1 : rc;
}

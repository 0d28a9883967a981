/*
 * arguments.h - parses the command line of `schedgpu run`. Values stay texts; job.c takes
 * them.
 */
#ifndef SGR_ARGUMENTS_H
#define SGR_ARGUMENTS_H

#include "schedgpu/job_options.h"
#include <stdbool.h>

/** The values as they were written; NULL if not given. */
struct sgr_arguments {
  const char *conf, *run_dir, *on_failure, *context;
  const char *option[SG_OPTIONS];        /**< of the job */
  uint32_t device[SCHEDGPU_MAX_DEVICES]; /**< NVML indexes, each once, in the order given */
  uint32_t device_count;
  char **command; /**< the command and its arguments, NULL behind the last */
  bool help;      /**< --help was given; only options before it are set */
};

/**
 * Parses the words behind `schedgpu`: options of schedgpu itself, "run", options, the command. The
 * texts point into `words`. False for a wrong command line, with the reason in `error`.
 */
bool sgr_arguments_take(char **words, struct sgr_arguments *arguments, char *error,
                        size_t error_size);

#endif

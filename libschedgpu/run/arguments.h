/* arguments.h - the command line of `schedgpu run`. */
#ifndef SGR_ARGUMENTS_H
#define SGR_ARGUMENTS_H

#include "schedgpu/admin.h"
#include <stdbool.h>

/** What was said, as it was written; NULL where nothing was. */
struct sgr_arguments {
  const char *conf, *run_dir, *mem, *mode, *processes, *priority, *wait, *overflow, *on_failure,
      *context;
  uint32_t device[SCHEDGPU_MAX_DEVICES]; /**< NVML indexes, each once, in the order given */
  uint32_t device_count;
  char **command; /**< the command's own arguments, with NULL behind the last */
  bool help;      /**< it is asked for: of the rest only what came before counts */
};

/**
 * Takes the words behind `schedgpu`: options of schedgpu itself, "run", options, the command. The
 * texts are those of `words`. False, with the reason in `error`, for a command line that is wrong.
 */
bool sgr_arguments_take(char **words, struct sgr_arguments *arguments, char *error,
                        size_t error_size);

#endif

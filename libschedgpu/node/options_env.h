/*
 * options_env.h - the options of a job as environment variables: the user exports SCHEDGPU_MEM,
 * Slurm passes SPANK_SCHEDGPU_MEM to prolog and epilog and keeps SLURM_SPANK_SCHEDGPU_MEM in the
 * job's environment.
 */
#ifndef SG_OPTIONS_ENV_H
#define SG_OPTIONS_ENV_H

#include "schedgpu/conf.h"

/** Options, and whether on or off was given at all, which `off` alone does not show. */
struct sg_given {
  struct sg_job_options options;
  bool switched;
};

/** Copies the variable into `value`: 0 = not set, 1 = copied, -1 = longer than `size` - 1. */
typedef int (*sg_env_get)(void *context, const char *name, char *value, size_t size);

/** sg_env_get over getenv(). */
int sg_env_get_own(void *context, const char *name, char *value, size_t size);

/**
 * Reads the options that `given` does not have yet from the environment. The variables are `prefix`
 * followed by those of job_options.h, SCHEDGPU_DISTINCT, and SCHEDGPU_OFF, without a prefix
 * SCHEDGPU (on, off). Empty variables count as unset. EINVAL, with the variable in `error`, for an
 * invalid value.
 */
int sg_options_from_env(struct sg_given *given, const char *prefix, sg_env_get get, void *context,
                        char *error, size_t error_size);

/** Adds the options of `from` that `given` does not have. */
void sg_options_inherit(struct sg_given *given, const struct sg_given *from);

/** The longest text of sg_options_to_text(). */
#define SG_OPTIONS_TEXT 1024

/**
 * Writes the options that are not in `but` as `NAME=value;`, with the names of the variables. "" =
 * no such option.
 */
void sg_options_to_text(const struct sg_given *given, const struct sg_given *but, char *text,
                        size_t size);

/** Reads the options that `given` does not have yet from such a text, as sg_options_from_env(). */
int sg_options_from_text(struct sg_given *given, const char *text, char *error, size_t error_size);

/** Parses `on` or `off`. 0 or EINVAL. */
int sg_parse_switch(const char *value, bool *off);

#endif

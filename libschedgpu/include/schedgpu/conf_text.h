/*
 * conf_text.h - schedgpu.conf and devices.conf for tools in other languages: they ask here, so that
 * what the agent takes is what hooks and plugin take. Functions are thread-safe.
 *
 * Internal to the project; not installed.
 */
#ifndef SCHEDGPU_CONF_TEXT_H
#define SCHEDGPU_CONF_TEXT_H

#include "admin.h"

/**
 * Reads `length` bytes of `text` as the schedgpu.conf called `path`, the agent's keys included.
 * `said` gets a line "LINE KEY VALUE" for each key, KEY as in the table: "0 KEY DEFAULT" of all,
 * then those that the text has. A default that depends on the node is empty. `length` + 8 KiB are
 * enough. 0, EINVAL with every problem in `error`, one per line, or ESYSTEM (errno).
 */
SCHEDGPU_API int schedgpu_conf_parse(const char *path, const char *text, size_t length, char *said,
                                     size_t said_size, char *error, size_t error_size);

/**
 * Reads `length` bytes of `text` as the devices.conf called `path`. The devices of `node` are put
 * into `setup`, in the file's order; none if no line names it. Errors as schedgpu_conf_parse().
 */
SCHEDGPU_API int schedgpu_conf_parse_devices(const char *path, const char *text, size_t length,
                                             const char *node, struct schedgpu_setup *setup,
                                             char *error, size_t error_size);

/**
 * The budget that would do for a job that used `used_bytes` at most: with 10 % to spare, and 256
 * MiB at least, in steps of 256 MiB.
 */
SCHEDGPU_API uint64_t schedgpu_suggested_budget(uint64_t used_bytes);

/** A multiple of 1 MiB as it is typed, "3G" or "2560M", into `text` of at least 24 bytes; `text`.
 */
SCHEDGPU_API char *schedgpu_type_bytes(uint64_t bytes, char *text);

/** What `schedgpu run` was asked for, as it was written; NULL = not given. */
struct schedgpu_run_wish {
  const char *mem, *priority, *mode, *wait, *processes, *overflow;
  const char *name;       /**< of the job: says what was learned of it */
  uint64_t learned_bytes; /**< what earlier runs of it needed; 0 = not known */
};

/** Checks the options alone. 0, or EINVAL with one line in `error`. */
SCHEDGPU_API int schedgpu_run_check(const struct schedgpu_run_wish *wish, char *error,
                                    size_t error_size);

/**
 * Decides the job of `schedgpu run` as prolog and plugin decide theirs, by the schedgpu.conf called
 * `path`. `devices`: those of the job, as the region has them (what is reserved with the site's
 * SafetyMargin). Returns 0, 1 if the
 * budget is what earlier runs needed, EINVAL (an option; more lines: problems of the file),
 * ETOOBIG, with `error`, or ESYSTEM (errno).
 */
SCHEDGPU_API int schedgpu_run_decide(const char *path, const char *text, size_t length,
                                     const struct schedgpu_setup *devices,
                                     const struct schedgpu_run_wish *wish, uint32_t uid,
                                     struct schedgpu_job_spec *spec, char *error,
                                     size_t error_size);

/** What the programs of a job of `schedgpu run` are told. */
struct schedgpu_run_env {
  const char *job;     /**< "run:7" */
  const char *run_dir; /**< where the region is */
  const char *library; /**< for LD_PRELOAD; NULL: they need none */
  const char *uuids;   /**< of the job's devices, with commas */
  const char *numbers; /**< the same devices as numbers */
  int32_t refuse;      /**< not 0: OnFailure=refuse */
  int32_t managed_passes;
  int32_t frameworks; /**< not 0: variables for TensorFlow and JAX */
  int32_t reserved;   /**< 0 */
};

/**
 * The changes of the environment `old` ("NAME=VALUE", each with its NUL, and another NUL behind the
 * last): `changes` gets "NAME=VALUE" for what is to be set and "NAME" for what is to be removed, in
 * the same form. 0, or EINVAL if they do not fit, or LD_PRELOAD has no room.
 */
SCHEDGPU_API int schedgpu_run_environment(const struct schedgpu_run_env *env, const char *old,
                                          char *changes, size_t size);

#endif

/*
 * conf_text.h - parses schedgpu.conf and devices.conf for programs in other languages, so that the
 * agent reads them as the hooks and the plugin do; writes the table that they read. Functions are
 * thread-safe unless they say otherwise.
 *
 * Internal to the project; not installed.
 */
#ifndef SCHEDGPU_CONF_TEXT_H
#define SCHEDGPU_CONF_TEXT_H

#include "admin.h"

/**
 * Parses `length` bytes of `text` as the schedgpu.conf called `path`, the agent's keys included.
 * Writes a line "LINE KEY VALUE" to `said` for each key, with KEY as in the table: "0 KEY DEFAULT"
 * of all keys, then those of the text. A default that depends on the node is empty. A buffer of
 * `length` + 8 KiB is enough. Returns 0, EINVAL with every problem in `error`, one per line, or
 * ESYSTEM (errno).
 */
SCHEDGPU_API int schedgpu_conf_parse(const char *path, const char *text, size_t length, char *said,
                                     size_t said_size, char *error, size_t error_size);

/**
 * Parses `length` bytes of `text` as the devices.conf called `path`. Writes the devices of `node`
 * into `setup`, in the order of the file; none if no line names the node. Errors as
 * schedgpu_conf_parse().
 */
SCHEDGPU_API int schedgpu_conf_parse_devices(const char *path, const char *text, size_t length,
                                             const char *node, struct schedgpu_setup *setup,
                                             char *error, size_t error_size);

/**
 * The budget, in bytes, for a job that used `used_bytes` at most: 10 % more, at least 256 MiB, in
 * steps of 256 MiB.
 */
SCHEDGPU_API uint64_t schedgpu_suggested_budget(uint64_t used_bytes);

/**
 * Writes a multiple of 1 MiB as an option takes it, "3G" or "2560M", into `text` of at least 24
 * bytes. Returns `text`.
 */
SCHEDGPU_API char *schedgpu_type_bytes(uint64_t bytes, char *text);

/** The tables of what earlier jobs of a user and name needed. */
enum schedgpu_learned_table {
  SCHEDGPU_LEARNED_BUDGETS = 0,    /**< budgets: the file `learned` */
  SCHEDGPU_LEARNED_PERSISTENT = 1, /**< what lane jobs kept between turns: `learned.persistent` */
};

/**
 * Replaces a table (enum schedgpu_learned_table) in `run_dir` as a whole, if it is another: of each
 * of `count` lines the user `uid`, the `bytes` of each device and the job's name. `names` are the
 * names, one after the other, each with its final NUL. A name with control characters is left out,
 * and so are the last lines where the table would become larger than 1 MiB. Returns 0, or ESYSTEM
 * (errno) with the problem in `error`. Only one thread may write the table of a folder.
 */
SCHEDGPU_API int schedgpu_learned_write(const char *run_dir, uint32_t table, const uint32_t *uid,
                                        const uint64_t *bytes, const char *names, size_t count,
                                        char *error, size_t error_size);

#endif

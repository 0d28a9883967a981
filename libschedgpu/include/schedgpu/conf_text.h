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

#endif

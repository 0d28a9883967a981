/*
 * conf_keys.h - the table of the keys of schedgpu.conf: name, default, allowed values and meaning.
 * Hooks, plugin and agent read files by this table. The reference page, the man page and the
 * example are generated from it (build-support/conf-pages).
 */
#ifndef SG_CONF_KEYS_H
#define SG_CONF_KEYS_H

#include "conf_file.h"
#include "schedgpu/conf.h"

#define SG_CONF_KEYS 54
/** Index of the first key that only the agent reads. A wrong value of such a key fails no job. */
#define SG_CONF_FIRST_OF_AGENT 27

/** All keys: those of hooks and plugin first, then those of the agent. */
extern const struct sg_conf_key sg_conf_keys[SG_CONF_KEYS];

/**
 * Fills `conf` with the defaults and then with the values of `file` (NULL: an empty file). Problems
 * name `problems->path`. With `said`, the agent's keys are checked too, and each value is written
 * there.
 */
void sg_conf_read_file(FILE *file, struct sg_conf *conf, FILE *said, struct sg_problems *problems);

/**
 * Reads the devices of `node` from `file`; none if no line names the node. False: out of memory.
 */
bool sg_conf_read_devices_file(FILE *file, const char *node, struct sg_conf_devices *devices,
                               struct sg_problems *problems);

#endif

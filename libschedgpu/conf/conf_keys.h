/*
 * conf_keys.h - the table of schedgpu.conf's keys: name, default, what a value must be, what it
 * means. Its one home: hooks, plugin and agent read by it, and the reference, the manual page and
 * the example are written from it (build-support/conf-pages).
 */
#ifndef SG_CONF_KEYS_H
#define SG_CONF_KEYS_H

#include "conf_file.h"
#include "schedgpu/conf.h"

#define SG_CONF_KEYS 43
/** From here on: keys of the agent alone. No job fails for one of them. */
#define SG_CONF_FIRST_OF_AGENT 23

/** The keys that everybody reads, then the agent's. */
extern const struct sg_conf_key sg_conf_keys[SG_CONF_KEYS];

/**
 * Fills `conf` with the defaults, then with what `file` (NULL: an empty one) says; problems name
 * `problems->path`. With `said` the agent's keys are checked, too, and each value is written there.
 */
void sg_conf_read_file(FILE *file, struct sg_conf *conf, FILE *said, struct sg_problems *problems);

/** The devices of `node` in `file`: none if no line names it. False: no memory. */
bool sg_conf_read_devices_file(FILE *file, const char *node, struct sg_conf_devices *devices,
                               struct sg_problems *problems);

#endif

/*
 * node.h - what prolog, epilog and SPANK plugin do alike on a node: find and read the
 * configuration, register a job.
 */
#ifndef SG_NODE_H
#define SG_NODE_H

#include "schedgpu/conf.h"

/** The configuration as this node sees it. Large: not for the stack. */
struct sg_node {
  struct sg_conf conf;
  struct sg_conf_devices devices;
};

/**
 * The schedgpu.conf to read: `given` if not NULL or empty; else the one beside this process's
 * SLURM_CONF, if there is one (a second cluster on a machine has its own); else the default place.
 */
void sg_find_conf(const char *given, char *path, size_t size);

/** Name of this node as Slurm calls it: SLURMD_NODENAME, else the host's short name. */
void sg_node_name(char *name, size_t size);

/** Reads the devices of this node from the file that `node->conf` names. */
int sg_node_read_devices(struct sg_node *node, char *error, size_t error_size);

/** Reads both files. What could be read of `node->conf` is filled in even after an error. */
int sg_node_read(struct sg_node *node, const char *conf_path, char *error, size_t error_size);

/**
 * Registers `spec` in the region of `admin`, with the devices the region does not know yet.
 * `fresh`: the job starts now, so what is left of an earlier run of it goes first.
 */
int sg_register_job(const struct sg_node *node, schedgpu_admin *admin,
                    const struct schedgpu_job_spec *spec, bool fresh, char *error,
                    size_t error_size);

/** Writes what `rc` of a call on `admin` means, with the holder of the lock after ELOCK; `rc`. */
int sg_explain(const schedgpu_admin *admin, int rc, const char *what, char *error,
               size_t error_size);

#endif

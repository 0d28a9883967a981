/*
 * node.h - what prolog, epilog and SPANK plugin have in common on a node: they find and read the
 * configuration, and register a job.
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
 * Writes the path of the schedgpu.conf to read: `given` if not NULL or empty; else the file beside
 * this process's SLURM_CONF if it exists (a second cluster on a host has its own); else the default
 * path.
 */
void sg_find_conf(const char *given, char *path, size_t size);

/** Writes Slurm's name of this node: SLURMD_NODENAME, else the short host name. */
void sg_node_name(char *name, size_t size);

/** Reads the devices of this node from the file in `node->conf`. */
int sg_node_read_devices(struct sg_node *node, char *error, size_t error_size);

/**
 * Reads both files. Values of `node->conf` that could be read are filled in even after an error.
 */
int sg_node_read(struct sg_node *node, const char *conf_path, char *error, size_t error_size);

/**
 * Registers `spec` in the region of `admin`, and adds devices that the region does not know yet.
 * `fresh`: the job starts now, so what is left of an earlier run is removed first.
 */
int sg_register_job(const struct sg_node *node, schedgpu_admin *admin,
                    const struct schedgpu_job_spec *spec, bool fresh, char *error,
                    size_t error_size);

/**
 * Writes a message for the error `rc` of a call on `admin`, with the lock's holder after ELOCK.
 * Returns `rc`.
 */
int sg_explain(const schedgpu_admin *admin, int rc, const char *what, char *error,
               size_t error_size);

#endif

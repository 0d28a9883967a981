/*
 * conf.h - reads schedgpu.conf and devices.conf (docs/reference/files-and-environment.md), and
 * turns the options of a job into a job spec. This is the only place that does so, because prolog
 * and SPANK plugin must decide the same.
 *
 * Internal to the project's C parts (static library libschedgpu-conf.a); not installed.
 */
#ifndef SCHEDGPU_CONF_H
#define SCHEDGPU_CONF_H

#include "admin.h"
#include "job_options.h"
#include <limits.h>
#include <stdbool.h>

#define SG_CONF_DEFAULT_PATH "/etc/schedgpu/schedgpu.conf"
#define SG_CONF_TEXT 256
#define SG_CONF_USERS 1024

/** schedgpu.conf, with defaults filled in. */
struct sg_conf {
  char run_dir[PATH_MAX];
  char devices_file[PATH_MAX];
  char preload_library[PATH_MAX];
  uint32_t policy;
  char default_mem[32]; /**< size or percentage, "" = none */
  bool learned_mem; /**< DefaultMem=learned: default_mem is for jobs about which nothing is known */
  char max_mem[32]; /**< size or percentage */
  char safety_margin[32];
  int32_t default_priority;
  int32_t max_priority;
  char high_priority_users[SG_CONF_USERS]; /**< names or uids, comma separated */
  int64_t wait_ns;
  int64_t grace_ns;
  uint32_t overtake_limit;
  uint32_t deadlock_rule;     /**< enum schedgpu_deadlock_rule */
  bool lanes;                 /**< false: no job may have one (Lanes=no) */
  int64_t quantum_ns;         /**< of the turns of a lane */
  uint32_t max_share;         /**< largest share that a job may have */
  char python_path[PATH_MAX]; /**< folder of the Python module, for PYTHONPATH; "" = none */
  bool refuse_on_failure;     /**< OnFailure=refuse */
  bool drain_on_hook_failure;
  int64_t hook_timeout_ns;
  bool overflow_waits;        /**< Overflow=wait, for jobs in mode peak without the option */
  bool managed_passes;        /**< ManagedMemory=pass */
  bool framework_environment; /**< variables for TensorFlow and JAX where a job has a budget */
  bool end_hint;              /**< a job that asked for too much or too little gets a hint */
  bool brokered;              /**< Mode=brokered: only root may write the region */
  char region_group[64];
};

/** One device of devices.conf. */
struct sg_conf_device {
  struct schedgpu_device_spec spec;
  char file[PATH_MAX];
  uint32_t virtual_count;
  uint16_t virtual_index[1024]; /**< indexes as in SLURM_JOB_GPUS */
  uint64_t shard_bytes;         /**< memory of one of Slurm's shards; 0: the device has none */
};

/** The devices of one node, and the GPUs that Slurm has there beside them (MIG instances). */
struct sg_conf_devices {
  uint32_t not_ours_count;
  uint16_t not_ours[1024]; /**< indexes as in SLURM_JOB_GPUS */
  uint32_t count;
  struct sg_conf_device device[SCHEDGPU_MAX_DEVICES];
};

/** Fills `conf` with the defaults. */
void sg_conf_defaults(struct sg_conf *conf);

/**
 * Reads `path` over the defaults. 0, or EINVAL with every problem in `error` (file, line, value,
 * what is allowed, the near key), one per line. ESYSTEM: not readable (errno).
 */
int sg_conf_read(const char *path, struct sg_conf *conf, char *error, size_t error_size);

/** Reads the devices of `node` from a devices.conf. Errors as sg_conf_read(). */
int sg_conf_read_devices(const char *path, const char *node, struct sg_conf_devices *devices,
                         char *error, size_t error_size);

/** Parses "0,3-5" (SLURM_JOB_GPUS) into `index`; returns the count or EINVAL. */
int sg_parse_index_list(const char *list, uint16_t *index, uint32_t capacity);

/**
 * Writes the devices of virtual GPUs into a list, each once, in the order in which they first
 * appear. GPUs that are not ours have none. Returns their number, or EDEVICE if an index is in no
 * line of devices.conf. `*repeated` is true if two virtual GPUs belong to one device.
 */
int sg_devices_of_virtual(const struct sg_conf_devices *devices, const uint16_t *virtual_index,
                          uint32_t count, uint32_t *device, bool *repeated);

/**
 * Decides a job: applies the site's limits to the options of user `uid`. `notice` gets one line per
 * decision that differs from the request (priority lowered), "" if there is none. A job whose GPUs
 * are all not ours gets an empty device mask, and is left alone. Errors: EINVAL (wrong option),
 * ETOOBIG (more memory than MaxMem or the device allows), with `error`.
 */
int sg_decide_job(const struct sg_conf *conf, const struct sg_conf_devices *devices,
                  const struct sg_job_options *options, uint64_t job_id, uint32_t uid,
                  const uint16_t *virtual_index, uint32_t virtual_count,
                  struct schedgpu_job_spec *spec, char *notice, size_t notice_size, char *error,
                  size_t error_size);

/**
 * The same for `schedgpu run`: the job gets all of `devices`. `learned_bytes`: what earlier runs
 * needed, 0 = not known; `*learned` is true if that is the budget.
 */
int sg_decide_run(const struct sg_conf *conf, const struct sg_conf_devices *devices,
                  const struct sg_job_options *options, uint32_t uid, uint64_t learned_bytes,
                  struct schedgpu_job_spec *spec, bool *learned, char *notice, size_t notice_size,
                  char *error, size_t error_size);

/** Fills the setup of this node's region from conf and devices. */
int sg_setup_of_conf(const struct sg_conf *conf, const struct sg_conf_devices *devices,
                     struct schedgpu_setup *setup, char *error, size_t error_size);

/**
 * Opens the node's region, and creates it from conf and devices if there is none (first job after a
 * boot). Errors as schedgpu_admin_setup() and schedgpu_admin_open().
 */
int sg_open_region(const struct sg_conf *conf, const struct sg_conf_devices *devices,
                   schedgpu_admin **admin, char *error, size_t error_size);

#endif

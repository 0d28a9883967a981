/*
 * device_list.h - the devices of a task, and the names by which the task sees them. Knows nothing
 * of Slurm's interfaces.
 */
#ifndef SG_DEVICE_LIST_H
#define SG_DEVICE_LIST_H

#include "schedgpu/conf.h"

#define SG_DEVICE_TEXT (SCHEDGPU_MAX_DEVICES * SCHEDGPU_UUID_SIZE)

/** Physical indexes, each once, in the order in which the job's virtual GPUs name them. */
struct sg_device_list {
  uint32_t count;
  uint32_t index[SCHEDGPU_MAX_DEVICES];
};

/** True if this process may use a device file. */
typedef bool (*sg_may_open)(const char *file);

/** sg_may_open by open(). Only EPERM, the error of the devices cgroup, means no. */
bool sg_may_open_file(const char *file);

/**
 * Parses virtual GPUs such as "0,3-5" into devices. Errors as sg_parse_index_list() and
 * sg_devices_of_virtual().
 */
int sg_device_list_parse(const struct sg_conf_devices *devices, const char *virtual_gpus,
                         struct sg_device_list *list);

/**
 * Reduces the devices of a step to those of one task. Removes the devices that the task's cgroup
 * denies. If it denies none, `task_gpus` (the task's own SLURM_STEP_GPUS, may be NULL) decides:
 * without ConstrainDevices, and with --gres-flags=allow-task-sharing, each task may open the
 * devices of all tasks. Never leaves an empty list. `visible` gets what the task's cgroup shows.
 * True if a device was denied.
 */
bool sg_device_list_narrow(const struct sg_conf_devices *devices, const char *task_gpus,
                           sg_may_open may_open, struct sg_device_list *list,
                           struct sg_device_list *visible);

/** Writes "GPU-...,GPU-..." into `text` of SG_DEVICE_TEXT bytes. */
void sg_device_list_uuids(const struct sg_conf_devices *devices, const struct sg_device_list *list,
                          char *text);

/**
 * Writes numbers such as "0,1" into `text` of SG_DEVICE_TEXT bytes: physical indexes, or with
 * `visible` the places among these devices in physical order, as a process inside the devices
 * cgroup sees them. `visible` may be NULL.
 */
void sg_device_list_numbers(const struct sg_device_list *list, const struct sg_device_list *visible,
                            char *text);

/**
 * True if Slurm numbered the GPUs within the cgroup, so that its numbers are not those of the
 * virtual GPUs.
 */
bool sg_numbers_are_local(const char *virtual_gpus, const char *slurm_numbers);

/**
 * True if Slurm's numbers are those of the virtual GPUs and cannot be places within a cgroup, which
 * begin with 0.
 */
bool sg_numbers_are_global(const char *virtual_gpus, const char *slurm_numbers);

#endif

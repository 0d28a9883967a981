/* device_list.h - the devices of a task and how they are named to it. Knows nothing of Slurm. */
#ifndef SG_DEVICE_LIST_H
#define SG_DEVICE_LIST_H

#include "schedgpu/conf.h"

#define SG_DEVICE_TEXT (SCHEDGPU_MAX_DEVICES * SCHEDGPU_UUID_SIZE)

/** Physical indexes, each once, in the order in which the job's virtual GPUs name them. */
struct sg_device_list {
  uint32_t count;
  uint32_t index[SCHEDGPU_MAX_DEVICES];
};

/** Whether this process may use a device file. */
typedef bool (*sg_may_open)(const char *file);

/** sg_may_open by open(): only EPERM, as the devices cgroup gives it, is a no. */
bool sg_may_open_file(const char *file);

/** The devices behind "0,3-5". The error of sg_parse_index_list() or sg_devices_of_virtual(). */
int sg_device_list_parse(const struct sg_conf_devices *devices, const char *virtual_gpus,
                         struct sg_device_list *list);

/**
 * Reduces the devices of a step to those of one task: what its cgroup denies goes; where nothing is
 * denied, `task_gpus` (the task's own SLURM_STEP_GPUS, may be NULL) tells: without
 * ConstrainDevices, and with --gres-flags=allow-task-sharing, where each task may open the devices
 * of all. Never to nothing. `visible` is what the task's cgroup shows. True if a device was denied.
 */
bool sg_device_list_narrow(const struct sg_conf_devices *devices, const char *task_gpus,
                           sg_may_open may_open, struct sg_device_list *list,
                           struct sg_device_list *visible);

/** "GPU-...,GPU-..." into `text` of SG_DEVICE_TEXT bytes. */
void sg_device_list_uuids(const struct sg_conf_devices *devices, const struct sg_device_list *list,
                          char *text);

/**
 * "0,1": physical indexes, or places among `visible` in physical order, which is how a process
 * inside a devices cgroup that shows these sees them. `visible` may be NULL.
 */
void sg_device_list_numbers(const struct sg_device_list *list, const struct sg_device_list *visible,
                            char *text);

/** Whether Slurm numbered the GPUs inside the cgroup: its numbers are not the virtual GPUs'. */
bool sg_numbers_are_local(const char *virtual_gpus, const char *slurm_numbers);

#endif

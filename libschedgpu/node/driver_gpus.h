/*
 * driver_gpus.h - compares devices.conf with the GPUs that NVIDIA's driver has. Needs neither NVML
 * nor another library, because the prolog is linked statically.
 */
#ifndef SG_DRIVER_GPUS_H
#define SG_DRIVER_GPUS_H

#include "schedgpu/conf.h"

/** One folder for each GPU, with a file `information`. */
#define SG_DRIVER_GPUS "/proc/driver/nvidia/gpus"

/**
 * Compares the devices of `mask` (bit = index of a device) with the GPUs in `folder`, by device
 * file: a job whose CUDA_VISIBLE_DEVICES names another GPU than the one behind its device file sees
 * none. EDEVICE with the reason if one differs or is missing; else 0, also where the driver does
 * not say. Thread-safe.
 */
int sg_driver_compare(const char *folder, const struct sg_conf_devices *devices, uint64_t mask,
                      char *error, size_t error_size);

/**
 * True if the driver has a GPU whose device file no device of devices.conf has. Slurm, which does
 * not know it, forbids it to no job. False where the driver does not say. Thread-safe.
 */
bool sg_driver_has_others(const char *folder, const struct sg_conf_devices *devices);

#endif

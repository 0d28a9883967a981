/*
 * devices.h - CUDA's devices and ours. A CUdevice is matched by UUID: CUDA_VISIBLE_DEVICES may
 * order and hide devices in its own way.
 */
#ifndef SGP_DEVICES_H
#define SGP_DEVICES_H

#include "../hooks/driver_abi.h"

#define SGP_NO_DEVICE (-1)

/** Ordinal of the client API for `device`, or SGP_NO_DEVICE (said once). Cached, thread-safe. */
int sgp_device_ordinal(CUdevice device);

/** Drops the cache (a forked child looks anew). */
void sgp_devices_forget(void);

#endif

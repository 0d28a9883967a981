/*
 * devices.h - maps CUDA's devices to ordinals of the client API, by UUID, because
 * CUDA_VISIBLE_DEVICES may reorder and hide devices.
 */
#ifndef SGP_DEVICES_H
#define SGP_DEVICES_H

#include "../../abi/driver_abi.h"

#define SGP_NO_DEVICE (-1)

/**
 * Ordinal of the client API for `device`, or SGP_NO_DEVICE, which is reported once. Cached,
 * thread-safe.
 */
int sgp_device_ordinal(CUdevice device);

/** Clears the cache (in a forked child). */
void sgp_devices_forget(void);

#endif

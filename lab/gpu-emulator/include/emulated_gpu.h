/*
 * emulated_gpu.h - functions that only the emulator has, beyond the ABIs that it implements. For
 * tests and the demo's sampler.
 */
#ifndef EMULATED_GPU_EXTRAS_H
#define EMULATED_GPU_EXTRAS_H

#include "cuda_abi.h"
#include "nvml_abi.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/*
 * libnvidia-ml: ns in which the device has run at least one kernel since the state file was
 * created. Exact: it never grows faster than CLOCK_MONOTONIC, and excludes kernels that a killed
 * process had not yet run. Needs nvmlInit. Thread-safe.
 */
nvmlReturn_t emulatedGpuBusyNs(nvmlDevice_t device, uint64_t *busy_ns);

/* libnvidia-ml: bytes in use by all processes, including their contexts. */
nvmlReturn_t emulatedGpuMemoryUsed(nvmlDevice_t device, uint64_t *used_bytes);

/*
 * libcuda: sets the size of a module's global variable, which the emulator cannot read from an
 * image. Call it before the variable's address is first requested; later calls have no effect. Only
 * the emulated runtime, which knows the size, needs it, and finds it by cuGetProcAddress.
 */
CUresult emulatedGpuSetGlobalSize(CUlibrary library, const char *name, size_t bytes);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif

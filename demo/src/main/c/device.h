/*
 * How a program reaches the device. One implementation is linked into each: the CUDA runtime
 * (device_runtime.c) or the driver API (device_driver.c). Not thread-safe; one device, the first.
 */
#ifndef DEMO_DEVICE_H
#define DEMO_DEVICE_H

#include <stddef.h>
#include <stdint.h>

enum device_result { DEVICE_OK, DEVICE_OUT_OF_MEMORY, DEVICE_FAILED };

/* Makes the CUDA context; does nothing when there is one. */
enum device_result device_open(void);
void device_close(void);

enum device_result device_allocate(void **memory, size_t bytes);
enum device_result device_free(void *memory);
enum device_result device_write(void *memory, const void *host, size_t bytes);
enum device_result device_read(void *host, const void *memory, size_t bytes);

/* Runs a kernel that keeps the device busy for that long when it is alone, and waits for it. */
enum device_result device_run(uint64_t busy_ns);

/* What the last call that was not DEVICE_OK was told, as CUDA words it. */
const char *device_error(void);

#endif

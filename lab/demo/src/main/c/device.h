/*
 * device.h - how a program reaches the device. Each program links one implementation: the CUDA
 * runtime (device_runtime.c) or the driver API (device_driver.c). Not thread-safe; uses the first
 * device only.
 */
#ifndef DEMO_DEVICE_H
#define DEMO_DEVICE_H

#include <stddef.h>
#include <stdint.h>

enum device_result { DEVICE_OK, DEVICE_OUT_OF_MEMORY, DEVICE_FAILED };

/* Creates the CUDA context, if there is none yet. */
enum device_result device_open(void);
void device_close(void);

enum device_result device_allocate(void **memory, size_t bytes);
enum device_result device_free(void *memory);
enum device_result device_write(void *memory, const void *host, size_t bytes);
enum device_result device_read(void *host, const void *memory, size_t bytes);

/* Runs a kernel and waits for it. It keeps the device busy for `busy_ns` if no other kernel
 * runs. */
enum device_result device_run(uint64_t busy_ns);

/* CUDA's text for the last result that was not DEVICE_OK. */
const char *device_error(void);

#endif

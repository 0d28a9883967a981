/* What the environment says about the emulated devices. */
#ifndef EMULATED_GPU_CONFIG_H
#define EMULATED_GPU_CONFIG_H

#include <stdint.h>

struct config {
  unsigned device_count; /* 1-16 */
  uint64_t memory_bytes; /* of each device */
  uint64_t context_bytes;
};

/* "16G", "512MiB", "4096" (bytes). Returns 0, or -1 when the text is not a size. */
int config_size(const char *text, uint64_t *bytes);

/* Reads the EMULATED_GPU_* parameters; -1 after a message when one is wrong. */
int config_read(struct config *config);

const char *config_state_path(void);

/* What each module takes on the device: EMULATED_GPU_MODULE, 0 by default. */
uint64_t config_module_bytes(void);

/* Duration of a kernel that is not `busy_ns`: EMULATED_GPU_KERNEL_NS, 0 by default. */
uint64_t config_kernel_ns(void);

/* How long, from when its death is noticed, a killed process's memory stays taken:
 * EMULATED_GPU_LATE_FREE_MS, 0 by default. */
uint64_t config_late_free_ns(void);

/* By how much a memory pool grows: EMULATED_GPU_POOL_CHUNK, 32M by default, as the real driver. */
uint64_t config_pool_chunk_bytes(void);

#endif

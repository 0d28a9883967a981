/* config.h - the emulated devices as the environment describes them. */
#ifndef EMULATED_GPU_CONFIG_H
#define EMULATED_GPU_CONFIG_H

#include <stdint.h>

struct config {
  unsigned device_count; /* 1-16 */
  uint64_t memory_bytes; /* of each device */
  uint64_t context_bytes;
};

/* Parses "16G", "512MiB", "4096" (bytes). Returns 0, or -1 if the text is not a size. */
int config_size(const char *text, uint64_t *bytes);

/* Reads the EMULATED_GPU_* parameters. Returns -1 after a message if one is wrong. */
int config_read(struct config *config);

const char *config_state_path(void);

/* The device memory of each module: EMULATED_GPU_MODULE, 0 by default. */
uint64_t config_module_bytes(void);

/* The duration of a kernel other than `busy_ns`: EMULATED_GPU_KERNEL_NS, 0 by default. */
uint64_t config_kernel_ns(void);

/* Read at each call: what the bytes of new memory of cuMemCreate are, 0 to 255. */
int config_stale_byte(void);

/* How long a killed process's memory stays taken after its death is noticed:
 * EMULATED_GPU_LATE_FREE_MS, 0 by default. */
uint64_t config_late_free_ns(void);

/* The bytes by which a memory pool grows: EMULATED_GPU_POOL_CHUNK, 32M by default, as in the real
 * driver. */
uint64_t config_pool_chunk_bytes(void);

#endif

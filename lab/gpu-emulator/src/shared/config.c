/* config.c - see config.h. */
#include "config.h"
#include "log.h"
#include "state.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static int unit_shift(const char *unit) {
  static const char letters[] = "KMGT";
  if (!*unit)
    return 0;
  const char *at = strchr(letters, toupper((unsigned char)*unit));
  if (!at)
    return -1;
  if (unit[1] && strcasecmp(unit + 1, "iB") && strcasecmp(unit + 1, "B"))
    return -1;
  return 10 * (int)(at - letters + 1);
}

int config_size(const char *text, uint64_t *bytes) {
  if (!isdigit((unsigned char)text[0]))
    return -1;
  char *end;
  errno = 0;
  uint64_t value = strtoull(text, &end, 10);
  int shift = unit_shift(end);
  if (errno || shift < 0 || value > ((uint64_t)INT64_MAX >> shift))
    return -1;
  *bytes = value << shift;
  return 0;
}

static int size_from(const char *name, const char *fallback, uint64_t *bytes) {
  const char *text = getenv(name);
  if (!text || !*text)
    text = fallback;
  if (!config_size(text, bytes))
    return 0;
  log_error("%s='%s' is not a size: use a number and K, M, G or T, as %s", name, text, fallback);
  return -1;
}

static int count_from_environment(unsigned *count) {
  const char *text = getenv("EMULATED_GPU_COUNT");
  uint64_t value = 1;
  if (text && *text && (config_size(text, &value) || value < 1 || value > MAX_DEVICES)) {
    log_error("EMULATED_GPU_COUNT='%s' is not a number of devices: use 1 to %d", text, MAX_DEVICES);
    return -1;
  }
  *count = (unsigned)value;
  return 0;
}

int config_read(struct config *config) {
  if (count_from_environment(&config->device_count))
    return -1;
  if (size_from("EMULATED_GPU_MEM", "16G", &config->memory_bytes))
    return -1;
  return size_from("EMULATED_GPU_CONTEXT", "256M", &config->context_bytes);
}

const char *config_state_path(void) {
  const char *path = getenv("EMULATED_GPU_STATE");
  return path && *path ? path : "/dev/shm/emulated-gpu";
}

uint64_t config_module_bytes(void) {
  uint64_t bytes;
  return size_from("EMULATED_GPU_MODULE", "0", &bytes) ? 0 : bytes;
}

uint64_t config_kernel_ns(void) {
  const char *text = getenv("EMULATED_GPU_KERNEL_NS");
  return text ? strtoull(text, NULL, 10) : 0;
}

int config_stale_byte(void) {
  const char *text = getenv("EMULATED_GPU_STALE");
  return text ? (int)(strtoul(text, NULL, 10) & 255) : 0;
}

uint64_t config_late_free_ns(void) {
  const char *text = getenv("EMULATED_GPU_LATE_FREE_MS");
  return text ? strtoull(text, NULL, 10) * 1000000u : 0;
}

uint64_t config_pool_chunk_bytes(void) {
  uint64_t bytes;
  const char *text = getenv("EMULATED_GPU_POOL_CHUNK");
  return text && *text && !config_size(text, &bytes) && bytes ? bytes : (uint64_t)32 << 20;
}

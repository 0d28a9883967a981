/*
 * nvml_place.c - a device's MIG mode and near CPUs, from the environment. They have no other
 * effect: the emulator has no MIG instances, and its memory is equally near to all CPUs.
 */
#include "nvml.h"
#include "../shared/log.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WORD_BITS = 8 * sizeof(unsigned long), MAX_NUMBER = 65535 };

/* Reads one "7" or "0-7" at *text, and moves *text behind it. Returns -1 if it is neither. */
static int read_range(const char **text, unsigned long *first, unsigned long *last) {
  char *end;
  if (!isdigit((unsigned char)**text))
    return -1;
  *first = *last = strtoul(*text, &end, 10);
  if (*end == '-' && isdigit((unsigned char)end[1]))
    *last = strtoul(end + 1, &end, 10);
  *text = end;
  return *first <= *last && *last <= MAX_NUMBER ? 0 : -1;
}

static void set_bits(unsigned long *set, unsigned words, unsigned long first, unsigned long last) {
  for (unsigned long bit = first; bit <= last && bit < (unsigned long)words * WORD_BITS; bit++)
    set[bit / WORD_BITS] |= 1ul << bit % WORD_BITS;
}

/* Reads "0-7,16" up to `stop` or the end, as bits; ignores numbers beyond the set. Returns -1 if it
 * is not a list. */
static int read_list(const char *text, char stop, unsigned long *set, unsigned words) {
  unsigned long first, last;
  memset(set, 0, words * sizeof *set);
  for (;;) {
    if (read_range(&text, &first, &last))
      return -1;
    set_bits(set, words, first, last);
    if (!*text || *text == stop)
      return 0;
    if (*text++ != ',')
      return -1;
  }
}

static nvmlReturn_t refused(const char *name, const char *text, const char *example) {
  log_error("%s='%s' is not understood: use numbers, as %s", name, text, example);
  return NVML_ERROR_UNKNOWN;
}

/* EMULATED_GPU_MIG lists the devices in MIG mode. Without it no device has that mode. */
nvmlReturn_t nvmlDeviceGetMigMode(nvmlDevice_t device, unsigned *current, unsigned *pending) {
  NEED_DEVICE(physical, device);
  NEED(current && pending);
  const char *text = getenv("EMULATED_GPU_MIG");
  unsigned long set;
  if (!text || !*text)
    return NVML_ERROR_NOT_SUPPORTED;
  if (read_list(text, 0, &set, 1))
    return refused("EMULATED_GPU_MIG", text, "0,2");
  *current = *pending = set >> physical & 1 ? NVML_FEATURE_ENABLED : NVML_FEATURE_DISABLED;
  return NVML_SUCCESS;
}

/* The part of EMULATED_GPU_CPUS for a device, or NULL. */
static const char *part_of(const char *text, unsigned device) {
  for (; device && text; device--)
    text = (text = strchr(text, '/')) ? text + 1 : NULL;
  return text && *text && *text != '/' ? text : NULL;
}

/* EMULATED_GPU_CPUS has the CPUs of device 0, a slash, those of device 1, and so on. Without it all
 * CPUs are near. */
nvmlReturn_t nvmlDeviceGetCpuAffinity(nvmlDevice_t device, unsigned words, unsigned long *cpus) {
  NEED_DEVICE(physical, device);
  NEED(cpus && words);
  const char *text = getenv("EMULATED_GPU_CPUS");
  if (!text || !*text) {
    memset(cpus, 0, words * sizeof *cpus);
    set_bits(cpus, words, 0, (unsigned long)sysconf(_SC_NPROCESSORS_CONF) - 1);
    return NVML_SUCCESS;
  }
  const char *part = part_of(text, physical);
  if (!part)
    return NVML_ERROR_NOT_SUPPORTED;
  if (read_list(part, '/', cpus, words))
    return refused("EMULATED_GPU_CPUS", text, "0-7,16-23/8-15");
  return NVML_SUCCESS;
}

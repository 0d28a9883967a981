/* driver_gpus.c - see driver_gpus.h. */
#include "driver_gpus.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_GPUS 64
#define MAX_LINE 256

struct driver_gpu {
  long minor; /* n of /dev/nvidiaN; -1: not known */
  char uuid[SCHEDGPU_UUID_SIZE];
};

/** The value of a line "Key:  value" in `line`, without blanks around it; NULL: another key. */
static char *value_of(char *line, const char *key) {
  size_t length = strlen(key);
  if (strncmp(line, key, length) != 0)
    return NULL;
  char *value = line + length + strspn(line + length, " \t");
  value[strcspn(value, " \t\r\n")] = '\0';
  return value;
}

/** False if the GPU's UUID or minor number is not known: until a GPU is used, the driver shows `?`
 * for its UUID. */
static bool read_gpu(const char *path, struct driver_gpu *gpu) {
  char line[MAX_LINE];
  FILE *file = fopen(path, "re");
  *gpu = (struct driver_gpu){.minor = -1};
  if (!file)
    return false;
  while (fgets(line, sizeof line, file)) {
    char *uuid = value_of(line, "GPU UUID:"), *minor = value_of(line, "Device Minor:");
    if (uuid)
      snprintf(gpu->uuid, sizeof gpu->uuid, "%s", uuid);
    if (minor && minor[0] >= '0' && minor[0] <= '9')
      gpu->minor = strtol(minor, NULL, 10);
  }
  fclose(file);
  return gpu->minor >= 0 && strncmp(gpu->uuid, "GPU-", 4) == 0 && !strchr(gpu->uuid, '?');
}

/** The GPUs of the driver. 0 if there are none, or one of them is not known. */
static int read_gpus(const char *folder, struct driver_gpu *gpus) {
  DIR *dir = opendir(folder);
  const struct dirent *entry;
  int count = 0;
  if (!dir)
    return 0;
  while ((entry = readdir(dir))) {
    char path[PATH_MAX];
    if (entry->d_name[0] == '.')
      continue;
    int n = snprintf(path, sizeof path, "%s/%s/information", folder, entry->d_name);
    if (count == MAX_GPUS || n < 0 || (size_t)n >= sizeof path || !read_gpu(path, &gpus[count])) {
      count = 0;
      break;
    }
    count++;
  }
  closedir(dir);
  return count;
}

static bool is_file_of(const struct driver_gpu *gpu, const char *file) {
  char name[32];
  const char *base = strrchr(file, '/');
  snprintf(name, sizeof name, "nvidia%ld", gpu->minor);
  return strcmp(base ? base + 1 : file, name) == 0;
}

static const struct driver_gpu *gpu_of_file(const struct driver_gpu *gpus, int count,
                                            const char *file) {
  for (int i = 0; i < count; i++)
    if (is_file_of(&gpus[i], file))
      return &gpus[i];
  return NULL;
}

bool sg_driver_has_others(const char *folder, const struct sg_conf_devices *devices) {
  struct driver_gpu gpus[MAX_GPUS];
  int count = read_gpus(folder, gpus);
  for (int i = 0; i < count; i++) {
    bool named = false;
    for (uint32_t d = 0; d < devices->count; d++)
      named |= is_file_of(&gpus[i], devices->device[d].file);
    if (!named)
      return true;
  }
  return false;
}

int sg_driver_compare(const char *folder, const struct sg_conf_devices *devices, uint64_t mask,
                      char *error, size_t error_size) {
  struct driver_gpu gpus[MAX_GPUS];
  int count = read_gpus(folder, gpus);
  for (uint32_t d = 0; count > 0 && d < devices->count; d++) {
    const struct sg_conf_device *device = &devices->device[d];
    if (!(mask >> device->spec.index & 1))
      continue;
    const struct driver_gpu *gpu = gpu_of_file(gpus, count, device->file);
    if (gpu && strcmp(gpu->uuid, device->spec.uuid) == 0)
      continue;
    snprintf(error, error_size,
             "devices.conf: device %u is %s, but %.64s is %s: a GPU was replaced or moved, or this "
             "is another machine: run schedgpu gres facts on this node, then plan and apply again",
             device->spec.index, device->spec.uuid, device->file, gpu ? gpu->uuid : "no GPU");
    return SCHEDGPU_EDEVICE;
  }
  return SCHEDGPU_OK;
}

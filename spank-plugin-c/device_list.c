/* device_list.c - see device_list.h. */
#include "device_list.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MAX_GPUS 1024

bool sg_may_open_file(const char *file) {
  int fd = open(file, O_RDWR | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0)
    return errno != EPERM;
  close(fd);
  return true;
}

int sg_device_list_parse(const struct sg_conf_devices *devices, const char *virtual_gpus,
                         struct sg_device_list *list) {
  uint16_t index[MAX_GPUS];
  bool repeated;
  list->count = 0;
  int count = sg_parse_index_list(virtual_gpus, index, MAX_GPUS);
  if (count < 0)
    return count;
  int found = sg_devices_of_virtual(devices, index, (uint32_t)count, list->index, &repeated);
  if (found < 0)
    return found;
  list->count = (uint32_t)found;
  return SCHEDGPU_OK;
}

static const struct sg_conf_device *find(const struct sg_conf_devices *devices, uint32_t index) {
  for (uint32_t d = 0; d < devices->count; d++) {
    if (devices->device[d].spec.index == index)
      return &devices->device[d];
  }
  return NULL;
}

static bool contains(const struct sg_device_list *list, uint32_t index) {
  for (uint32_t i = 0; i < list->count; i++) {
    if (list->index[i] == index)
      return true;
  }
  return false;
}

/** The devices of `list` that may be opened. */
static struct sg_device_list allowed_of(const struct sg_conf_devices *devices, sg_may_open may_open,
                                        const struct sg_device_list *list) {
  struct sg_device_list allowed = {0};
  for (uint32_t i = 0; i < list->count; i++) {
    const struct sg_conf_device *device = find(devices, list->index[i]);
    if (!device || may_open(device->file))
      allowed.index[allowed.count++] = list->index[i];
  }
  return allowed;
}

static bool is_part_of(const struct sg_device_list *part, const struct sg_device_list *list) {
  for (uint32_t i = 0; i < part->count; i++) {
    if (!contains(list, part->index[i]))
      return false;
  }
  return part->count > 0;
}

bool sg_device_list_narrow(const struct sg_conf_devices *devices, const char *task_gpus,
                           sg_may_open may_open, struct sg_device_list *list,
                           struct sg_device_list *visible) {
  struct sg_device_list own;
  *visible = *list;
  if (list->count < 2)
    return false; /* opening a file may wake a sleeping device, so only if necessary */
  struct sg_device_list allowed = allowed_of(devices, may_open, list);
  if (allowed.count > 0 && allowed.count < list->count) {
    *list = *visible = allowed;
    return true;
  }
  if (task_gpus && sg_device_list_parse(devices, task_gpus, &own) == SCHEDGPU_OK &&
      is_part_of(&own, list))
    *list = own;
  return false;
}

void sg_device_list_uuids(const struct sg_conf_devices *devices, const struct sg_device_list *list,
                          char *text) {
  size_t length = 0;
  text[0] = '\0';
  for (uint32_t i = 0; i < list->count; i++) {
    const struct sg_conf_device *device = find(devices, list->index[i]);
    if (device)
      length += (size_t)snprintf(text + length, SG_DEVICE_TEXT - length, "%s%s",
                                 length > 0 ? "," : "", device->spec.uuid);
  }
}

/** The number of devices of the list that come before `index` in physical order. */
static uint32_t place_of(const struct sg_device_list *list, uint32_t index) {
  uint32_t place = 0;
  for (uint32_t i = 0; i < list->count; i++)
    place += list->index[i] < index;
  return place;
}

void sg_device_list_numbers(const struct sg_device_list *list, const struct sg_device_list *visible,
                            char *text) {
  size_t length = 0;
  text[0] = '\0';
  for (uint32_t i = 0; i < list->count; i++) {
    uint32_t number = visible ? place_of(visible, list->index[i]) : list->index[i];
    length +=
        (size_t)snprintf(text + length, SG_DEVICE_TEXT - length, "%s%u", i > 0 ? "," : "", number);
  }
}

bool sg_numbers_are_global(const char *virtual_gpus, const char *slurm_numbers) {
  uint16_t number[MAX_GPUS];
  int count = sg_parse_index_list(slurm_numbers, number, MAX_GPUS);
  bool places = true;
  for (int i = 0; i < count; i++)
    places &= number[i] == i;
  return count > 0 && !places && !sg_numbers_are_local(virtual_gpus, slurm_numbers);
}

bool sg_numbers_are_local(const char *virtual_gpus, const char *slurm_numbers) {
  uint16_t a[MAX_GPUS], b[MAX_GPUS];
  int virtual_count = sg_parse_index_list(virtual_gpus, a, MAX_GPUS);
  int count = sg_parse_index_list(slurm_numbers, b, MAX_GPUS);
  if (virtual_count < 0 || count < 0)
    return false;
  return count != virtual_count || memcmp(a, b, (size_t)count * sizeof *a) != 0;
}

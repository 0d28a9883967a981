/* conf_devices.c - reads devices.conf: the devices of a node, and the virtual GPUs of each. */
#include "conf_keys.h"
#include "schedgpu/conf.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define VIRTUAL_LARGEST 4095
#define MAX_GPUS 1024

/** One line of the file while it is read. */
struct entry {
  char node[256];
  struct sg_conf_device *device;
  uint32_t not_ours_count;
  uint16_t not_ours[MAX_GPUS];
};
#define AT(field) SG_AT(struct sg_conf_device, field)

/** The key's field is in the device. */
#define IN_DEVICE(name, set)                                                                       \
  static int name(const struct sg_conf_key *key, void *target, const char *value) {                \
    return set(key, ((struct entry *)target)->device, value);                                      \
  }
IN_DEVICE(set_number, sg_set_number)
IN_DEVICE(set_path, sg_set_path)
IN_DEVICE(set_text, sg_set_text)

static int set_node(const struct sg_conf_key *key, void *target, const char *value) {
  if (!*value || strpbrk(value, "[],"))
    return SCHEDGPU_EINVAL;
  return sg_set_text(key, target, value);
}

static int set_uuid(const struct sg_conf_key *key, void *target, const char *value) {
  if (strncmp(value, "GPU-", 4) != 0 || !value[4] || strpbrk(value, ", \t:"))
    return SCHEDGPU_EINVAL;
  return set_text(key, target, value);
}

static bool has_repeats(const uint16_t *index, int count) {
  for (int i = 1; i < count; i++) {
    for (int j = 0; j < i; j++) {
      if (index[i] == index[j])
        return true;
    }
  }
  return false;
}

static int set_indexes(const char *value, uint16_t *index, uint32_t *index_count) {
  int count = sg_parse_index_list(value, index, MAX_GPUS);
  if (count <= 0 || has_repeats(index, count))
    return SCHEDGPU_EINVAL;
  *index_count = (uint32_t)count;
  return SCHEDGPU_OK;
}

static int set_virtual(const struct sg_conf_key *key, void *target, const char *value) {
  struct entry *e = target;
  (void)key;
  return set_indexes(value, e->device->virtual_index, &e->device->virtual_count);
}

static int set_not_ours(const struct sg_conf_key *key, void *target, const char *value) {
  struct entry *e = target;
  (void)key;
  return set_indexes(value, e->not_ours, &e->not_ours_count);
}

#define BYTES .most = INT64_MAX
static const struct sg_conf_key keys[] = {
    {"NodeName", "", "one node, no hostlist", set_node, SG_AT(struct entry, node)},
    {"Device", "", "0 to 15", set_number, AT(spec.index), .most = SCHEDGPU_MAX_DEVICES - 1},
    {"UUID", "", "a UUID as NVML reports it (GPU-...), below 48 characters", set_uuid,
     AT(spec.uuid)},
    {"File", "", "an absolute path", set_path, AT(file)},
    {"TotalBytes", "", "a number of bytes above 0", set_number, AT(spec.total_bytes), .least = 1,
     BYTES},
    {"ReservedBytes", "", "a number of bytes", set_number, AT(spec.reserved_bytes), BYTES},
    {"ContextBytes", "", "a number of bytes", set_number, AT(spec.context_bytes), BYTES},
    {"Virtual", "", "different indexes such as 0-11 or 0,2,4-6, at most 1024", .set = set_virtual},
    {"Name", "", "a name below 64 characters", set_text, AT(spec.name)},
    {"ShardBytes", "", "a number of bytes above 0", set_number, AT(shard_bytes), .least = 1, BYTES},
    {"NotOurs", "", "different indexes such as 24-30, at most 1024, beside NodeName only",
     .set = set_not_ours},
};
#define KEYS ((int)(sizeof keys / sizeof *keys))
#define KEYS_NEEDED (KEYS - 3) /* all but Name, ShardBytes and NotOurs */
#define NOT_OURS (KEYS - 1)

/** Reads one line into `entry`. False if it has problems. */
static bool read_entry(const struct sg_conf_line *line, struct entry *entry,
                       struct sg_problems *problems) {
  int before = problems->count;
  bool seen[KEYS] = {false};
  for (int i = 0; i < line->count; i++) {
    int k = sg_conf_set(keys, KEYS, &line->pair[i], entry, problems);
    if (k >= 0 && seen[k])
      sg_problem(problems, "%s is given twice", keys[k].name);
    if (k >= 0)
      seen[k] = true;
  }
  for (int k = 0; k < NOT_OURS; k++) {
    if (!seen[k] && k < KEYS_NEEDED && (k == 0 || !seen[NOT_OURS]))
      sg_problem(problems, "%s is missing: write the file with schedgpu gres plan", keys[k].name);
    else if (seen[k] && k > 0 && seen[NOT_OURS])
      sg_problem(problems, "%s and NotOurs are on one line", keys[k].name);
  }
  return problems->count == before;
}

static void check_memory(const struct schedgpu_device_spec *s, struct sg_problems *problems) {
  if (s->reserved_bytes > s->total_bytes || s->context_bytes > s->total_bytes - s->reserved_bytes)
    sg_problem(problems, "device %u: ReservedBytes and ContextBytes are more than TotalBytes",
               s->index);
}

static bool has_virtual(const struct sg_conf_device *device, uint16_t index) {
  for (uint32_t i = 0; i < device->virtual_count; i++) {
    if (device->virtual_index[i] == index)
      return true;
  }
  return false;
}

/** Checks that a device, a UUID or a virtual GPU is in one line only. */
static void check_unique(const struct sg_conf_devices *devices, const struct sg_conf_device *added,
                         struct sg_problems *problems) {
  for (uint32_t d = 0; d < devices->count; d++) {
    const struct sg_conf_device *other = &devices->device[d];
    if (other->spec.index == added->spec.index)
      sg_problem(problems, "Device=%u has two lines", added->spec.index);
    if (strcmp(other->spec.uuid, added->spec.uuid) == 0)
      sg_problem(problems, "UUID=%s has two lines", added->spec.uuid);
    for (uint32_t i = 0; i < added->virtual_count; i++) {
      if (!has_virtual(other, added->virtual_index[i]))
        continue;
      sg_problem(problems, "virtual GPU %u is of device %u already", added->virtual_index[i],
                 other->spec.index);
      break;
    }
  }
}

static void add_device(struct sg_conf_devices *devices, const struct sg_conf_device *device,
                       struct sg_problems *problems) {
  check_memory(&device->spec, problems);
  check_unique(devices, device, problems);
  if (devices->count == SCHEDGPU_MAX_DEVICES)
    sg_problem(problems, "more than %d devices on a node", SCHEDGPU_MAX_DEVICES);
  else
    devices->device[devices->count++] = *device;
}

static bool is_not_ours(const struct sg_conf_devices *devices, uint16_t index) {
  for (uint32_t i = 0; i < devices->not_ours_count; i++) {
    if (devices->not_ours[i] == index)
      return true;
  }
  return false;
}

static void add_not_ours(struct sg_conf_devices *devices, const struct entry *entry,
                         struct sg_problems *problems) {
  if (devices->not_ours_count > 0)
    sg_problem(problems, "NotOurs has two lines");
  memcpy(devices->not_ours, entry->not_ours, sizeof entry->not_ours);
  devices->not_ours_count = entry->not_ours_count;
}

/** Checks that no virtual GPU is both ours and NotOurs. */
static void check_not_ours(const struct sg_conf_devices *devices, struct sg_problems *problems) {
  for (uint32_t d = 0; d < devices->count; d++) {
    for (uint32_t i = 0; i < devices->device[d].virtual_count; i++) {
      uint16_t index = devices->device[d].virtual_index[i];
      if (is_not_ours(devices, index))
        sg_problem(problems, "virtual GPU %u is of device %u, and NotOurs", index,
                   devices->device[d].spec.index);
    }
  }
}

/**
 * Reads all lines, also those of other nodes, so that a damaged file is reported on the first node.
 */
static void read_lines(FILE *file, const char *node, struct sg_conf_devices *devices,
                       struct sg_conf_device *scratch, struct sg_problems *problems) {
  struct sg_conf_line line = {0};
  while (sg_conf_next_line(file, &line, problems)) {
    memset(scratch, 0, sizeof *scratch);
    struct entry entry = {.device = scratch};
    if (!read_entry(&line, &entry, problems) || strcmp(entry.node, node) != 0)
      continue;
    if (entry.not_ours_count > 0)
      add_not_ours(devices, &entry, problems);
    else
      add_device(devices, scratch, problems);
  }
  check_not_ours(devices, problems);
  sg_conf_line_free(&line);
}

bool sg_conf_read_devices_file(FILE *file, const char *node, struct sg_conf_devices *devices,
                               struct sg_problems *problems) {
  struct sg_conf_device *scratch = malloc(sizeof *scratch);
  devices->count = 0;
  devices->not_ours_count = 0;
  if (scratch)
    read_lines(file, node, devices, scratch, problems);
  free(scratch);
  return scratch != NULL;
}

int sg_conf_read_devices(const char *path, const char *node, struct sg_conf_devices *devices,
                         char *error, size_t error_size) {
  struct sg_problems problems;
  sg_problems_init(&problems, path, error, error_size);
  devices->count = 0;
  FILE *file = fopen(path, "re");
  if (!file) {
    int saved = errno;
    sg_problem(&problems, "cannot be read: %s: run `schedgpu gres`", strerror(saved));
    errno = saved;
    return SCHEDGPU_ESYSTEM;
  }
  bool read = sg_conf_read_devices_file(file, node, devices, &problems);
  fclose(file);
  if (!read)
    return SCHEDGPU_ESYSTEM;
  if (problems.count == 0 && devices->count == 0)
    sg_problem(&problems, "no line with NodeName=%s: run `schedgpu gres` for this node", node);
  return problems.count == 0 ? SCHEDGPU_OK : SCHEDGPU_EINVAL;
}

static int append_range(uint64_t first, uint64_t last, uint16_t *index, uint32_t capacity,
                        uint32_t *count) {
  if (last < first || last > VIRTUAL_LARGEST || last - first >= capacity - *count)
    return SCHEDGPU_EINVAL;
  for (uint64_t i = first; i <= last; i++)
    index[(*count)++] = (uint16_t)i;
  return SCHEDGPU_OK;
}

/** Parses a number of at most 5 digits, which cannot overflow. Returns the end, or NULL. */
static const char *read_index(const char *at, uint64_t *number) {
  const char *start = at;
  for (*number = 0; *at >= '0' && *at <= '9' && at - start <= 4; at++)
    *number = *number * 10 + (uint64_t)(*at - '0');
  return at == start ? NULL : at;
}

int sg_parse_index_list(const char *list, uint16_t *index, uint32_t capacity) {
  uint32_t count = 0;
  const char *at = list;
  for (;;) {
    uint64_t first, last;
    at = read_index(at, &first);
    if (!at)
      return SCHEDGPU_EINVAL;
    last = first;
    if (*at == '-')
      at = read_index(at + 1, &last);
    if (!at || append_range(first, last, index, capacity, &count) != SCHEDGPU_OK)
      return SCHEDGPU_EINVAL;
    if (*at == '\0')
      return (int)count;
    if (*at++ != ',')
      return SCHEDGPU_EINVAL;
  }
}

static const struct sg_conf_device *device_of_virtual(const struct sg_conf_devices *devices,
                                                      uint16_t index) {
  for (uint32_t d = 0; d < devices->count; d++) {
    if (has_virtual(&devices->device[d], index))
      return &devices->device[d];
  }
  return NULL;
}

int sg_devices_of_virtual(const struct sg_conf_devices *devices, const uint16_t *virtual_index,
                          uint32_t count, uint32_t *device, bool *repeated) {
  uint32_t mask = 0, found = 0;
  *repeated = false;
  for (uint32_t i = 0; i < count; i++) {
    if (is_not_ours(devices, virtual_index[i]))
      continue;
    const struct sg_conf_device *d = device_of_virtual(devices, virtual_index[i]);
    if (!d)
      return SCHEDGPU_EDEVICE;
    uint32_t bit = 1u << d->spec.index;
    if (mask & bit)
      *repeated = true;
    else
      device[found++] = d->spec.index;
    mask |= bit;
  }
  return (int)found;
}

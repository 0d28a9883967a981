/* conf_values.c - parses the kinds of values that keys of schedgpu.conf and devices.conf have. */
#include "conf_file.h"
#include "schedgpu/schedgpu.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define PATH_SIZE 4096
#define SIZE_TEXT 32

static void *place(const struct sg_conf_key *key, void *target) {
  return (char *)target + key->offset;
}

/** Stores a number in the key's field, if it has one. */
static void put(const struct sg_conf_key *key, void *target, uint64_t number) {
  uint32_t small = (uint32_t)number;
  if (key->size == sizeof small)
    memcpy(place(key, target), &small, sizeof small);
  else if (key->size == sizeof number)
    memcpy(place(key, target), &number, sizeof number);
}

int sg_set_text(const struct sg_conf_key *key, void *target, const char *value) {
  return key->size > 0 ? sg_copy_text(place(key, target), key->size, value) : SCHEDGPU_OK;
}

int sg_set_path(const struct sg_conf_key *key, void *target, const char *value) {
  if (value[0] != '/' || strlen(value) >= PATH_SIZE)
    return SCHEDGPU_EINVAL;
  return sg_set_text(key, target, value);
}

int sg_set_number(const struct sg_conf_key *key, void *target, const char *value) {
  char *end;
  errno = 0;
  unsigned long long number = strtoull(value, &end, 10);
  if (value[0] < '0' || value[0] > '9' || *end || errno)
    return SCHEDGPU_EINVAL;
  if (number < (uint64_t)key->least || number > (uint64_t)key->most)
    return SCHEDGPU_EINVAL;
  put(key, target, number);
  return SCHEDGPU_OK;
}

int sg_set_time(const struct sg_conf_key *key, void *target, const char *value) {
  int64_t ns;
  if (schedgpu_parse_time(value, &ns) != SCHEDGPU_OK)
    return SCHEDGPU_EINVAL;
  bool endless = key->most == SCHEDGPU_FOREVER;
  bool right = ns == SCHEDGPU_FOREVER ? endless : ns >= key->least && (endless || ns <= key->most);
  if (!right)
    return SCHEDGPU_EINVAL;
  put(key, target, (uint64_t)ns);
  return SCHEDGPU_OK;
}

int sg_set_size(const struct sg_conf_key *key, void *target, const char *value) {
  uint64_t bytes;
  if (schedgpu_parse_bytes(value, (uint64_t)key->most, &bytes) != SCHEDGPU_OK ||
      bytes < (uint64_t)key->least || strlen(value) >= SIZE_TEXT)
    return SCHEDGPU_EINVAL;
  return sg_set_text(key, target, value);
}

/**
 * The length of the word at `at` in a list such as "a, b or c"; `*next` is the start of the next
 * word.
 */
static size_t word(const char *at, const char **next) {
  size_t length = strcspn(at, ", ");
  const char *end = at + length;
  if (strncmp(end, ", ", 2) == 0)
    *next = end + 2;
  else if (strncmp(end, " or ", 4) == 0)
    *next = end + 4;
  else
    *next = NULL;
  return length;
}

int sg_set_flag(const struct sg_conf_key *key, void *target, const char *value) {
  for (const char *at = key->allowed, *next; at; at = next) {
    size_t length = word(at, &next);
    if (strlen(value) != length || strncasecmp(value, at, length) != 0)
      continue;
    bool yes = key->yes && strcasecmp(value, key->yes) == 0;
    if (key->size == sizeof yes)
      memcpy(place(key, target), &yes, sizeof yes);
    return SCHEDGPU_OK;
  }
  return SCHEDGPU_EINVAL;
}

/* preload_path.c - see preload_path.h. */
#include "preload_path.h"
#include "schedgpu/schedgpu.h"
#include <stdbool.h>
#include <string.h>

static const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

/** Compares file names, because a job from another node may have the library in another folder. */
static bool is_ours(const char *entry, size_t length, const char *ours) {
  const char *name = base_name(ours);
  size_t name_length = strlen(name);
  return length >= name_length && memcmp(entry + length - name_length, name, name_length) == 0 &&
         (length == name_length || entry[length - name_length - 1] == '/');
}

static int append(char *text, size_t size, size_t *used, const char *entry, size_t length) {
  size_t colon = *used > 0;
  if (*used + colon + length >= size)
    return SCHEDGPU_EINVAL;
  if (colon)
    text[(*used)++] = ':';
  memcpy(text + *used, entry, length);
  *used += length;
  text[*used] = '\0';
  return SCHEDGPU_OK;
}

int sg_preload_merge(const char *library, const char *ours, const char *old, char *text,
                     size_t size) {
  size_t used = 0;
  text[0] = '\0';
  int rc = library[0] ? append(text, size, &used, library, strlen(library)) : SCHEDGPU_OK;
  while (rc == SCHEDGPU_OK && *old) {
    size_t length = strcspn(old, ": \t\n");
    if (length > 0 && !is_ours(old, length, ours))
      rc = append(text, size, &used, old, length);
    old += length + (old[length] != '\0');
  }
  return rc;
}

/* python_path.c - see python_path.h. */
#include "python_path.h"
#include "schedgpu/schedgpu.h"
#include <stdbool.h>
#include <string.h>

/** Compares the end only, because a job from another node may have the module in another place. */
static bool is_ours(const char *entry, size_t length, const char *folder) {
  static const char end[] = "/schedgpu/python";
  size_t ends = sizeof end - 1;
  return (length == strlen(folder) && memcmp(entry, folder, length) == 0) ||
         (length >= ends && memcmp(entry + length - ends, end, ends) == 0);
}

static int append(char *text, size_t size, size_t *used, bool first, const char *entry,
                  size_t length) {
  if (*used + !first + length >= size)
    return SCHEDGPU_EINVAL;
  if (!first)
    text[(*used)++] = ':';
  memcpy(text + *used, entry, length);
  *used += length;
  text[*used] = '\0';
  return SCHEDGPU_OK;
}

int sg_python_path_merge(const char *folder, const char *old, char *text, size_t size) {
  size_t used = 0;
  bool first = true, more = old[0] != '\0';
  int rc = SCHEDGPU_OK;
  text[0] = '\0';
  if (folder[0]) {
    rc = append(text, size, &used, first, folder, strlen(folder));
    first = false;
  }
  while (rc == SCHEDGPU_OK && more) {
    size_t length = strcspn(old, ":");
    if (length == 0 || !is_ours(old, length, folder)) {
      rc = append(text, size, &used, first, old, length);
      first = false;
    }
    more = old[length] == ':';
    old += length + more;
  }
  return rc;
}

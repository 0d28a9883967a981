/* conf_text.c - parses both files for programs in other languages; see conf_text.h. */
#include "conf_keys.h"
#include "schedgpu/conf_text.h"
#include <stdlib.h>
#include <string.h>

/** Opens `text` as a file. fmemopen() of some libraries refuses an empty one. */
static FILE *open_text(const char *text, size_t length) {
  return length > 0 ? fmemopen((void *)(uintptr_t)text, length, "r") : NULL;
}

int schedgpu_conf_parse(const char *path, const char *text, size_t length, char *said,
                        size_t said_size, char *error, size_t error_size) {
  struct sg_problems problems;
  sg_problems_init(&problems, path, error, error_size);
  struct sg_conf *conf = malloc(sizeof *conf);
  FILE *out = fmemopen(said, said_size, "w");
  FILE *in = open_text(text, length);
  bool opened = conf && out && (in || length == 0);
  if (opened)
    sg_conf_read_file(in, conf, out, &problems);
  if (in)
    fclose(in);
  bool written = !out || (fflush(out) == 0 && !ferror(out));
  if (out)
    fclose(out);
  free(conf);
  if (!opened || !written)
    return SCHEDGPU_ESYSTEM;
  return problems.count == 0 ? SCHEDGPU_OK : SCHEDGPU_EINVAL;
}

int schedgpu_conf_parse_devices(const char *path, const char *text, size_t length, const char *node,
                                struct schedgpu_setup *setup, char *error, size_t error_size) {
  struct sg_problems problems;
  sg_problems_init(&problems, path, error, error_size);
  setup->device_count = 0;
  if (length == 0)
    return SCHEDGPU_OK;
  struct sg_conf_devices *devices = malloc(sizeof *devices);
  FILE *in = open_text(text, length);
  bool read = devices && in && sg_conf_read_devices_file(in, node, devices, &problems);
  if (in)
    fclose(in);
  if (read && problems.count == 0) {
    for (uint32_t d = 0; d < devices->count; d++)
      setup->device[d] = devices->device[d].spec;
    setup->device_count = devices->count;
  }
  free(devices);
  if (!read)
    return SCHEDGPU_ESYSTEM;
  return problems.count == 0 ? SCHEDGPU_OK : SCHEDGPU_EINVAL;
}

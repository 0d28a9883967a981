/* arguments.c - see arguments.h. */
#include "arguments.h"
#include <stdio.h>
#include <string.h>

int sg_arguments_parse(struct sg_arguments *arguments, int count, char **values, char *error,
                       size_t error_size) {
  static const char conf[] = "conf=";
  *arguments = (struct sg_arguments){0};
  for (int i = 0; i < count; i++) {
    const char *path = values[i] + sizeof conf - 1;
    if (strncmp(values[i], conf, sizeof conf - 1) != 0) {
      snprintf(error, error_size,
               "plugstack.conf: unknown argument '%s': only conf=FILE is allowed", values[i]);
      return SCHEDGPU_EINVAL;
    }
    if (path[0] != '/' || strlen(path) >= sizeof arguments->conf_path) {
      snprintf(error, error_size, "plugstack.conf: '%s': FILE must be an absolute path", values[i]);
      return SCHEDGPU_EINVAL;
    }
    strcpy(arguments->conf_path, path);
  }
  return SCHEDGPU_OK;
}

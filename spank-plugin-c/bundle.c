/* bundle.c - see bundle.h. */
#include "bundle.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_SIZE 256
#define LINE_SIZE 4096

/** Where the node's configuration is: of a node without files of its own first. */
static const char *const FOLDERS[] = {"/run/slurm/conf", "/etc/slurm"};

int sg_bundle_leave(const char *name, const char *value) {
  char left[NAME_SIZE];
  int length = snprintf(left, sizeof left, SG_BUNDLE_PREFIX "%s", name);
  return length < (int)sizeof left ? setenv(left, value ? value : "", 1) : -1;
}

static FILE *open_in(const char *folder, size_t length) {
  char path[PATH_MAX];
  int size = snprintf(path, sizeof path, "%.*s/oci.conf", (int)length, folder);
  return size < (int)sizeof path ? fopen(path, "re") : NULL;
}

static FILE *open_oci_conf(const char *slurm_conf) {
  const char *slash = slurm_conf ? strrchr(slurm_conf, '/') : NULL;
  FILE *file = slash ? open_in(slurm_conf, (size_t)(slash - slurm_conf)) : NULL;
  for (size_t i = 0; !slash && !file && i < sizeof FOLDERS / sizeof *FOLDERS; i++)
    file = open_in(FOLDERS[i], strlen(FOLDERS[i]));
  return file;
}

bool sg_bundle_is_extended(const char *slurm_conf) {
  char line[LINE_SIZE];
  FILE *file = open_oci_conf(slurm_conf);
  bool found = !file;
  while (!found && fgets(line, sizeof line, file))
    found = line[strspn(line, " \t")] != '#' && strstr(line, "schedgpu-bundle");
  if (file)
    fclose(file);
  return found;
}

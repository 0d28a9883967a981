/* conf_schedgpu.c - reads schedgpu.conf by the table of its keys. */
#include "conf_keys.h"
#include "schedgpu/conf.h"
#include <errno.h>
#include <string.h>

#ifndef SG_LIBDIR
#define SG_LIBDIR "/usr/local/lib"
#endif
#ifndef SG_DATADIR
#define SG_DATADIR "/usr/local/share"
#endif

void sg_conf_defaults(struct sg_conf *conf) {
  *conf =
      (struct sg_conf){.devices_file = "/etc/schedgpu/devices.conf",
                       .preload_library = SG_LIBDIR "/schedgpu/container/libschedgpu-preload.so",
                       .python_path = SG_DATADIR "/schedgpu/python"};
  for (int k = 0; k < SG_CONF_FIRST_OF_AGENT; k++)
    if (sg_conf_keys[k].by_default[0])
      sg_conf_keys[k].set(&sg_conf_keys[k], conf, sg_conf_keys[k].by_default);
}

/** The default path of devices.conf: in the folder of `path`. */
static void set_devices_beside(struct sg_conf *conf, const char *path) {
  static const char name[] = "devices.conf";
  const char *slash = strrchr(path, '/');
  size_t folder = slash ? (size_t)(slash - path) + 1 : 0;
  if (folder + sizeof name > sizeof conf->devices_file)
    return;
  memcpy(conf->devices_file, path, folder);
  memcpy(conf->devices_file + folder, name, sizeof name);
}

/** Checks values against each other. */
static void check_together(const struct sg_conf *conf, struct sg_problems *problems) {
  if (conf->default_priority > conf->max_priority)
    sg_problem(problems, "DefaultPriority (%d) is above MaxPriority (%d): lower the first",
               conf->default_priority, conf->max_priority);
}

/** Writes a value for a program in another language: "LINE KEY VALUE\n". */
static void write_value(FILE *said, int line, const char *key, const char *value) {
  if (said)
    fprintf(said, "%d %s %s\n", line, key, value);
}

/** Checks keys of the agent only for the agent, so that no job fails for them. */
static void read_lines(FILE *file, struct sg_conf *conf, FILE *said, struct sg_problems *problems) {
  struct sg_conf_line line = {0};
  int seen[SG_CONF_KEYS] = {0};
  int checked = said ? SG_CONF_KEYS : SG_CONF_FIRST_OF_AGENT;
  while (sg_conf_next_line(file, &line, problems)) {
    const struct sg_conf_pair *pair = &line.pair[0];
    if (line.count > 1)
      sg_problem(problems, "%s=...: one Key=Value a line", line.pair[1].key);
    int k = sg_conf_find_key(sg_conf_keys, SG_CONF_KEYS, pair->key, problems);
    if (k < 0)
      continue;
    if (k < checked)
      sg_conf_put(&sg_conf_keys[k], pair->value, conf, problems);
    if (seen[k])
      sg_problem(problems, "%s is already set in line %d", sg_conf_keys[k].name, seen[k]);
    seen[k] = line.number;
    write_value(said, line.number, sg_conf_keys[k].name, pair->value);
  }
  sg_conf_line_free(&line);
}

void sg_conf_read_file(FILE *file, struct sg_conf *conf, FILE *said, struct sg_problems *problems) {
  sg_conf_defaults(conf);
  set_devices_beside(conf, problems->path);
  for (int k = 0; k < SG_CONF_KEYS; k++)
    write_value(said, 0, sg_conf_keys[k].name, sg_conf_keys[k].by_default);
  if (!file)
    return;
  read_lines(file, conf, said, problems);
  check_together(conf, problems);
}

int sg_conf_read(const char *path, struct sg_conf *conf, char *error, size_t error_size) {
  struct sg_problems problems;
  sg_problems_init(&problems, path, error, error_size);
  FILE *file = fopen(path, "re");
  int saved = errno;
  sg_conf_read_file(file, conf, NULL, &problems);
  if (!file) {
    sg_problem(&problems, "cannot be read: %s: the administrator writes it on every node",
               strerror(saved));
    errno = saved;
    return SCHEDGPU_ESYSTEM;
  }
  fclose(file);
  return problems.count == 0 ? SCHEDGPU_OK : SCHEDGPU_EINVAL;
}

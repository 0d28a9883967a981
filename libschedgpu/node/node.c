/* node.c - see node.h. */
#include "node.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void sg_find_conf(const char *given, char *path, size_t size) {
  const char *slurm = getenv("SLURM_CONF");
  const char *slash = slurm ? strrchr(slurm, '/') : NULL;
  if (given && given[0]) {
    snprintf(path, size, "%s", given);
    return;
  }
  if (slash) {
    int n = snprintf(path, size, "%.*s/schedgpu.conf", (int)(slash - slurm), slurm);
    if (n > 0 && (size_t)n < size && access(path, F_OK) == 0)
      return;
  }
  snprintf(path, size, "%s", SG_CONF_DEFAULT_PATH);
}

void sg_node_name(char *name, size_t size) {
  const char *slurm = getenv("SLURMD_NODENAME");
  if (slurm && slurm[0]) {
    snprintf(name, size, "%s", slurm);
    return;
  }
  if (gethostname(name, size) != 0)
    name[0] = '\0';
  name[size - 1] = '\0';
  name[strcspn(name, ".")] = '\0';
}

int sg_node_read_devices(struct sg_node *node, char *error, size_t error_size) {
  char name[256];
  sg_node_name(name, sizeof name);
  return sg_conf_read_devices(node->conf.devices_file, name, &node->devices, error, error_size);
}

int sg_node_read(struct sg_node *node, const char *conf_path, char *error, size_t error_size) {
  node->devices.count = 0;
  int rc = sg_conf_read(conf_path, &node->conf, error, error_size);
  return rc == SCHEDGPU_OK ? sg_node_read_devices(node, error, error_size) : rc;
}

int sg_explain(const schedgpu_admin *admin, int rc, const char *what, char *error,
               size_t error_size) {
  int saved = errno;
  char state = '?';
  int holder = rc == SCHEDGPU_ELOCK ? schedgpu_admin_lock_holder(admin, &state) : 0;
  if (rc == SCHEDGPU_ELOCK)
    snprintf(error, error_size, "%s: %s (pid %d, state %c)", what, schedgpu_strerror(rc), holder,
             state);
  else if (rc == SCHEDGPU_ESYSTEM)
    snprintf(error, error_size, "%s: %s", what, strerror(saved));
  else if (rc != SCHEDGPU_OK)
    snprintf(error, error_size, "%s: %s", what, schedgpu_strerror(rc));
  return rc;
}

/** Adds devices of devices.conf that did not exist when the region was created. */
static int add_devices(const struct sg_node *node, char *error, size_t error_size) {
  struct schedgpu_setup setup;
  int rc = sg_setup_of_conf(&node->conf, &node->devices, &setup, error, error_size);
  return rc == SCHEDGPU_OK ? schedgpu_admin_setup(node->conf.run_dir, &setup) : rc;
}

/**
 * Ends what is left of an earlier run of the job, and begins the job again. EINVAL for a valid spec
 * means that processes of that run still hold memory under other limits.
 */
static int begin_after_old_run(schedgpu_admin *admin, const struct schedgpu_job_spec *spec) {
  schedgpu_admin_reap(admin, NULL);
  int rc = schedgpu_admin_job_begin(admin, spec);
  if (rc != SCHEDGPU_EINVAL)
    return rc;
  schedgpu_admin_job_end(admin, spec->kind, spec->job_id);
  return schedgpu_admin_job_begin(admin, spec);
}

int sg_register_job(const struct sg_node *node, schedgpu_admin *admin,
                    const struct schedgpu_job_spec *spec, bool fresh, char *error,
                    size_t error_size) {
  int rc = schedgpu_admin_job_begin(admin, spec);
  if (rc == SCHEDGPU_EDEVICE || rc == SCHEDGPU_ETOOBIG) {
    int added = add_devices(node, error, error_size);
    if (added != SCHEDGPU_OK)
      return sg_explain(admin, added, "updating the region's devices", error, error_size);
    rc = schedgpu_admin_job_begin(admin, spec);
  }
  if (rc == SCHEDGPU_EINVAL && fresh)
    rc = begin_after_old_run(admin, spec);
  return sg_explain(admin, rc, "registering the job", error, error_size);
}

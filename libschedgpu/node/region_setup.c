/* region_setup.c - creates the region of this node from schedgpu.conf and devices.conf. */
#include "job_limits.h"
#include "names.h"
#include "schedgpu/conf.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

static int find_group(const char *name, int32_t *group, char *error, size_t error_size) {
  *group = -1;
  if (!name[0])
    return SCHEDGPU_OK;
  uint32_t gid = 0;
  int rc = sg_gid_of_name(name, &gid);
  if (rc == SCHEDGPU_OK && gid > INT32_MAX) { /* a negative gid means no group */
    snprintf(error, error_size, "RegionGroup=%s: its number %u is above %d: take another group",
             name, gid, INT32_MAX);
    return SCHEDGPU_EINVAL;
  }
  if (rc == SCHEDGPU_EINVAL)
    snprintf(error, error_size, "RegionGroup=%s: there is no such group: create it or change it",
             name);
  else if (rc != SCHEDGPU_OK)
    snprintf(error, error_size,
             "RegionGroup=%s: groups cannot be looked up: does getent group work?", name);
  else
    *group = (int32_t)gid;
  return rc;
}

int sg_setup_of_conf(const struct sg_conf *conf, const struct sg_conf_devices *devices,
                     struct schedgpu_setup *setup, char *error, size_t error_size) {
  memset(setup, 0, sizeof *setup);
  int rc = find_group(conf->region_group, &setup->group, error, error_size);
  if (rc != SCHEDGPU_OK)
    return rc;
  if (conf->brokered) /* the group does not matter: only root writes the region */
    setup->group = SCHEDGPU_GROUP_NONE;
  setup->policy = conf->policy;
  setup->overtake_limit = conf->overtake_limit;
  setup->deadlock_rule = conf->deadlock_rule;
  setup->grace_ns = conf->grace_ns;
  setup->quantum_ns = conf->quantum_ns;
  setup->device_count = devices->count;
  for (uint32_t d = 0; d < devices->count; d++) {
    setup->device[d] = devices->device[d].spec;
    setup->device[d].reserved_bytes = sg_reserved_with_margin(conf, &devices->device[d].spec);
  }
  return SCHEDGPU_OK;
}

static int fail(int rc, const char *run_dir, char *error, size_t error_size) {
  int saved = errno;
  if (rc == SCHEDGPU_ESYSTEM || rc == SCHEDGPU_EPERM)
    snprintf(error, error_size, "the region in %s: %s (%s)", run_dir, schedgpu_strerror(rc),
             strerror(saved));
  else if (rc != SCHEDGPU_OK)
    snprintf(error, error_size, "the region in %s: %s", run_dir, schedgpu_strerror(rc));
  errno = saved;
  return rc;
}

int sg_open_region(const struct sg_conf *conf, const struct sg_conf_devices *devices,
                   schedgpu_admin **admin, char *error, size_t error_size) {
  struct schedgpu_setup setup;
  int rc = schedgpu_admin_open(conf->run_dir, admin);
  if (rc != SCHEDGPU_ENOREGION && rc != SCHEDGPU_ECORRUPT) /* setup may repair these */
    return fail(rc, conf->run_dir, error, error_size);
  rc = sg_setup_of_conf(conf, devices, &setup, error, error_size);
  if (rc != SCHEDGPU_OK)
    return rc;
  rc = schedgpu_admin_setup(conf->run_dir, &setup);
  if (rc == SCHEDGPU_OK)
    rc = schedgpu_admin_open(conf->run_dir, admin);
  return fail(rc, conf->run_dir, error, error_size);
}

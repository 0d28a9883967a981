/* component.c - see component.h. */
#include "component.h"
#include "het_group.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** Slurm passes on variables that begin with SLURM_ even with --export=NONE. */
#define OPTIONS "SLURM_SCHEDGPU_COMPONENT"
/** Slurm allows 128 components. */
#define MAX_COMPONENTS 128
#define NAME_SIZE 64

static unsigned left; /* components of this srun so far */

/** The variable of a group, such as SLURM_JOB_ID_HET_GROUP_1. */
static const char *name_of(const char *base, unsigned number, char name[NAME_SIZE]) {
  snprintf(name, NAME_SIZE, "%s_%u", base, number);
  return name;
}

int sg_component_leave(const struct sg_given *given, const struct sg_given *enclosing) {
  char name[NAME_SIZE], text[SG_OPTIONS_TEXT];
  for (unsigned old = 0; left == 0 && old < MAX_COMPONENTS; old++)
    unsetenv(name_of(OPTIONS, old, name));
  sg_options_to_text(given, enclosing, text, sizeof text);
  return setenv(name_of(OPTIONS, sg_het_group_own(left++), name), text, 1);
}

static bool read_text(unsigned number, sg_env_get get, void *context, char *text) {
  char name[NAME_SIZE];
  return get(context, name_of(OPTIONS, number, name), text, SG_OPTIONS_TEXT) == 1;
}

static uint64_t number(const char *name, sg_env_get get, void *context) {
  char value[32];
  return get(context, name, value, sizeof value) == 1 ? strtoull(value, NULL, 10) : 0;
}

/**
 * The group of the job in its heterogeneous job, or -1. Slurm 22.05 names it PACK_GROUP in the
 * steps of a direct srun.
 */
static int group_of(uint64_t job_id, uint64_t groups, sg_env_get get, void *context) {
  char name[NAME_SIZE];
  for (unsigned g = 0; g < groups && g < MAX_COMPONENTS; g++) {
    if (number(name_of("SLURM_JOB_ID_HET_GROUP", g, name), get, context) == job_id ||
        number(name_of("SLURM_JOB_ID_PACK_GROUP", g, name), get, context) == job_id)
      return (int)g;
  }
  return -1;
}

/** Reads the first component with options of its own, or one without if there is none. */
static bool read_any(sg_env_get get, void *context, char *text) {
  bool found = false;
  for (unsigned c = 0; c < MAX_COMPONENTS; c++) {
    if (!read_text(c, get, context, text))
      continue;
    if (text[0])
      return true;
    found = true;
  }
  text[0] = '\0';
  return found;
}

int sg_component_read(uint64_t job_id, sg_env_get get, void *context, struct sg_given *given,
                      bool *own, char *error, size_t error_size) {
  char text[SG_OPTIONS_TEXT];
  int group = group_of(job_id, number("SLURM_HET_SIZE", get, context), get, context);
  if (!(group >= 0 && read_text((unsigned)group, get, context, text)) &&
      !read_any(get, context, text))
    return 0;
  *given = (struct sg_given){0};
  *own = text[0] != '\0';
  int rc = sg_options_from_text(given, text, error, error_size);
  if (rc == SCHEDGPU_OK && group < 0)
    rc = sg_options_from_env(given, "SLURM_SPANK_", get, context, error, error_size);
  return rc == SCHEDGPU_OK ? 1 : rc;
}

int sg_component_remove(sg_env_get get, sg_env_set set, void *context) {
  char name[NAME_SIZE], text[SG_OPTIONS_TEXT];
  for (unsigned c = 0; c < MAX_COMPONENTS; c++) {
    if (read_text(c, get, context, text) && set(context, name_of(OPTIONS, c, name), NULL) != 0)
      return -1;
  }
  return 0;
}

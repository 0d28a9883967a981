/* identity.c - see identity.h */
#include "identity.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct {
  bool known;
  uint32_t kind;
  uint64_t id;
} assigned;

void sg_identity_set(uint32_t kind, uint64_t job_id) {
  assigned.kind = kind;
  assigned.id = job_id;
  assigned.known = true;
}

void sg_identity_forget(void) {
  assigned.known = false;
}

const char *sg_identity_run_dir(void) {
  const char *run_dir = assigned.known ? NULL : getenv("SCHEDGPU_RUN_DIR");
  return run_dir && *run_dir ? run_dir : SG_DEFAULT_RUN_DIR;
}

const char *sg_identity_devices(void) {
  return assigned.known ? NULL : getenv("SCHEDGPU_DEVICES");
}

/** Parses "slurm:123" or "run:456". */
static int parse_job(const char *text, uint32_t *kind, uint64_t *id) {
  if (strncmp(text, "slurm:", 6) == 0)
    *kind = SCHEDGPU_JOB_SLURM;
  else if (strncmp(text, "run:", 4) == 0)
    *kind = SCHEDGPU_JOB_RUN;
  else
    return SCHEDGPU_EINVAL;
  const char *digits = strchr(text, ':') + 1;
  char *end;
  *id = strtoull(digits, &end, 10);
  return *digits >= '0' && *digits <= '9' && *end == 0 ? SCHEDGPU_OK : SCHEDGPU_EINVAL;
}

int sg_identity_key(struct sg_job_key *key) {
  key->uid = sg_own_uid();
  if (assigned.known) {
    key->kind = assigned.kind;
    key->id = assigned.id;
    return SCHEDGPU_OK;
  }
  const char *text = getenv("SCHEDGPU_JOB");
  return text ? parse_job(text, &key->kind, &key->id) : SCHEDGPU_ENOJOB;
}

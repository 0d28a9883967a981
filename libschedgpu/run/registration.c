/* registration.c - see registration.h. */
#include "registration.h"
#include "../node/end_hint.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/** Larger than any process id: added for a new job whose id an older job still has. */
#define PIDS (UINT64_C(1) << 22)
/** The agent's socket. */
#define SOCKET "agent.sock"

/** Writes an error as the other commands do: "cannot open /run/schedgpu: why". Returns `rc`. */
static int explain(struct sgr_registration *registration, int rc, const char *what) {
  int saved = errno;
  char holder[64] = "", state = '?';
  int pid = rc == SCHEDGPU_ELOCK && registration->admin
                ? schedgpu_admin_lock_holder(registration->admin, &state)
                : 0;
  if (pid != 0)
    snprintf(holder, sizeof holder, " (process %d, state %c)", pid, state);
  if (rc == SCHEDGPU_ESYSTEM)
    snprintf(registration->error, registration->error_size, "cannot %s%s: %s (%s)", what, holder,
             schedgpu_strerror(rc), strerror(saved));
  else if (rc != SCHEDGPU_OK)
    snprintf(registration->error, registration->error_size, "cannot %s%s: %s", what, holder,
             schedgpu_strerror(rc));
  return rc;
}

static bool has_agent(const char *run_dir) {
  char path[PATH_MAX];
  int length = snprintf(path, sizeof path, "%s/" SOCKET, run_dir);
  return length > 0 && (size_t)length < sizeof path && access(path, F_OK) == 0;
}

static int open_agent(struct sgr_registration *registration, const char *run_dir) {
  char what[PATH_MAX + 32];
  snprintf(what, sizeof what, "ask the agent of %s", run_dir);
  int rc = explain(registration, schedgpu_run_open(run_dir, &registration->run), what);
  if (rc != SCHEDGPU_OK)
    return rc;
  rc = schedgpu_run_devices(registration->run, &registration->devices);
  return explain(registration, rc, "ask the agent for the devices");
}

int sgr_registration_open(struct sgr_registration *registration, const char *run_dir) {
  char what[PATH_MAX + 32];
  int rc = schedgpu_admin_open(run_dir, &registration->admin);
  if (rc == SCHEDGPU_EPERM && has_agent(run_dir))
    return open_agent(registration, run_dir);
  snprintf(what, sizeof what, "open %s", run_dir);
  if (rc == SCHEDGPU_OK)
    schedgpu_admin_devices(registration->admin, &registration->devices);
  return explain(registration, rc, what);
}

/** The message for an error of the agent's decision. */
static const char *decision(int rc) {
  switch (rc) {
  case SCHEDGPU_ETOOBIG:
    return "begin a job (MaxMem of the agent's schedgpu.conf, or the device, gives less)";
  case SCHEDGPU_EFULL:
    return "begin a job (you have as many jobs of your own as one user may)";
  case SCHEDGPU_EPERM:
    return "begin a job (this is inside a Slurm job, which has a budget of its own)";
  case SCHEDGPU_EVERSION:
    return "begin a job (the agent is older than this command: it must be started again)";
  default:
    return "begin a job";
  }
}

static int begin_by_agent(struct sgr_registration *registration) {
  int rc = schedgpu_run_begin(registration->run, &registration->job);
  if (rc != SCHEDGPU_OK)
    registration->job.job_id = 0;
  return explain(registration, rc, decision(rc));
}

/** Begins the job in the region. An older job whose processes still live keeps its id. */
static int begin_in_region(struct sgr_registration *registration) {
  struct schedgpu_job_spec job = registration->job;
  char what[64];
  job.job_id = (uint64_t)getpid();
  job.flags |= SCHEDGPU_JOB_FLAG_OWNED;
  int rc;
  while ((rc = schedgpu_admin_job_find(registration->admin, job.kind, job.job_id, NULL)) ==
         SCHEDGPU_OK)
    job.job_id += PIDS;
  if (rc == SCHEDGPU_ENOJOB)
    rc = schedgpu_admin_job_begin(registration->admin, &job);
  if (rc == SCHEDGPU_OK)
    registration->job = job;
  if (rc == SCHEDGPU_EFULL)
    return explain(registration, rc, decision(rc));
  snprintf(what, sizeof what, "begin job run:%llu", (unsigned long long)job.job_id);
  return explain(registration, rc, what);
}

int sgr_registration_begin(struct sgr_registration *registration) {
  return registration->admin ? begin_in_region(registration) : begin_by_agent(registration);
}

bool sgr_registration_hint(struct sgr_registration *registration, char *text, size_t size) {
  struct schedgpu_job_use used;
  if (registration->admin)
    return sg_end_hint(registration->admin, registration->job.kind, registration->job.job_id, text,
                       size);
  return schedgpu_run_use(registration->run, &used) == SCHEDGPU_OK &&
         sg_end_hint_of(&registration->devices, &registration->job, &used, text, size);
}

/** Ends the job; everything that only this process maps ends with it. */
void sgr_registration_end(struct sgr_registration *registration) {
  if (registration->admin && registration->job.job_id != 0)
    schedgpu_admin_job_end(registration->admin, registration->job.kind, registration->job.job_id);
  if (registration->admin)
    schedgpu_admin_close(registration->admin);
  schedgpu_run_close(registration->run);
  registration->admin = NULL;
  registration->run = NULL;
  registration->job.job_id = 0;
}

/*
 * run_job.c - `schedgpu run` where only the agent writes the region: a user's own job, of that
 * user, with no higher priority than the site gives, which ends with the process that began it.
 */
#include "broker.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define IDS_PER_PID 16u

static void copy_name(char *to, const char *from) {
  size_t n = 0;
  for (; n + 1 < SCHEDGPU_NAME_SIZE && from[n]; n++)
    to[n] = from[n] >= ' ' && from[n] <= '~' ? from[n] : '?';
  to[n] = 0;
}

static void decide(const schedgpu_broker *b, const struct served *s, const struct sg_wire_run *run,
                   struct schedgpu_job_spec *spec) {
  int32_t most = s->user->uid == 0 ? 100 : b->limits.max_priority;
  *spec = (struct schedgpu_job_spec){
      .kind = SCHEDGPU_JOB_RUN,
      .uid = s->person.uid,
      .priority = run->priority < most ? run->priority : most,
      .mode = run->mode,
      .device_mask = run->device_mask,
      .flags =
          SCHEDGPU_JOB_FLAG_OWNED | (run->overflow_waits ? SCHEDGPU_JOB_FLAG_OVERFLOW_WAITS : 0),
      .processes = run->processes,
      .wait_ns = run->wait_ns};
  memcpy(spec->budget_bytes, run->budget_bytes, sizeof spec->budget_bytes);
  copy_name(spec->name, run->name);
}

/** By the pid, as `schedgpu run` does; the next one if an older job still has it. */
static bool free_id(const schedgpu_broker *b, const struct served *s, uint64_t *id) {
  for (uint64_t i = 0; i < IDS_PER_PID; i++) {
    *id = (uint64_t)s->person.pid + (i << 32);
    if (sg_job_find(b->r, SCHEDGPU_JOB_RUN, *id) == SG_NONE)
      return true;
  }
  return false;
}

static int begin(schedgpu_broker *b, struct served *s, const struct sg_wire_run *run,
                 uint64_t *job_id) {
  struct sg_wakes wakes;
  struct schedgpu_job_spec spec;
  int rc = sg_admin_enter_and_mend(b->admin, &wakes);
  if (rc != SCHEDGPU_OK)
    return rc;
  decide(b, s, run, &spec);
  rc = free_id(b, s, &spec.job_id) ? sg_job_begin(b->r, &spec, s->slot, sg_now_ns(), &wakes)
                                   : SCHEDGPU_EFULL;
  sg_leave(b, &wakes);
  if (rc != SCHEDGPU_OK)
    return rc;
  sg_checkpoint_save(&b->admin->h);
  s->owns_job = true;
  s->user->jobs++;
  *job_id = spec.job_id;
  return SCHEDGPU_OK;
}

int sg_serve_run(schedgpu_broker *b, struct connection *c, const struct sg_wire_run *run,
                 uint64_t *job_id, int fds[2]) {
  if (c->client)
    return SCHEDGPU_EINVAL;
  if (c->uid != 0 && c->user->jobs >= b->limits.jobs_per_user)
    return SCHEDGPU_EFULL;
  int rc = sg_serve_owner(b, c, fds);
  if (rc != SCHEDGPU_OK)
    return rc;
  rc = begin(b, c->client, run, job_id);
  if (rc == SCHEDGPU_OK)
    return rc;
  sg_serve_detach(b, c->client);
  for (int i = 0; i < 2; i++) {
    close(fds[i]);
    fds[i] = -1;
  }
  return rc;
}

int sg_serve_run_end(schedgpu_broker *b, struct served *s) {
  struct sg_wakes wakes;
  if (!s->owns_job)
    return SCHEDGPU_ENOJOB;
  int rc = sg_admin_enter_and_mend(b->admin, &wakes);
  if (rc != SCHEDGPU_OK)
    return rc;
  for (uint32_t j = 0; j < sg_jobs_end(b->r); j++) {
    const struct sg_job *job = &b->r->job[j];
    if (!sg_job_active(b->r, j) || job->owner_slot != s->slot || job->owner_gen != s->gen ||
        sg_job_end(b->r, j, sg_now_ns(), &wakes) != SCHEDGPU_OK)
      continue;
    sg_unseal_job(b->r, j);
  }
  sg_leave(b, &wakes);
  sg_checkpoint_save(&b->admin->h);
  s->owns_job = false;
  s->user->jobs--;
  return SCHEDGPU_OK;
}

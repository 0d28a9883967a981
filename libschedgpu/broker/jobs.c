/*
 * jobs.c - jobs that users begin themselves (`schedgpu run`). The process that begins a job owns
 * it: the job ends when that process and all of the job's processes have ended. The limits of
 * schedgpu.conf apply, whatever the message asks for.
 */
#include "../core/rules/shares.h"
#include "../node/job_limits.h"
#include "broker.h"
#include <string.h>

/** Larger than any pid. Added to a pid that is the id of an older job. */
#define PIDS (UINT64_C(1) << 22)

static bool is_of_users(const struct sg_job *job) {
  return job->state == SG_ACTIVE && job->kind == SCHEDGPU_JOB_RUN && job->uid != 0;
}

/** Call with the lock. Root may begin jobs while the table has room. */
static bool may_begin(schedgpu_broker *b, uint32_t uid) {
  uint32_t all = 0, own = 0, account = sg_account_of(b, uid);
  for (uint32_t j = 0; j < sg_jobs_end(b->r); j++) {
    const struct sg_job *job = &b->r->job[j];
    all += is_of_users(job);
    own += is_of_users(job) && sg_account_of(b, job->uid) == account;
  }
  return uid == 0 ||
         (all < SG_JOBS_OF_USERS && sg_fair(own, b->limits.jobs_per_user, SG_JOBS_OF_USERS - all));
}

/** Replaces every character that could control a terminal. */
static void copy_name(char to[SCHEDGPU_NAME_SIZE], const char from[SCHEDGPU_NAME_SIZE]) {
  for (uint32_t i = 0; i < SCHEDGPU_NAME_SIZE - 1 && from[i]; i++)
    to[i] = from[i] >= ' ' && from[i] <= '~' ? from[i] : '?';
}

/** The id of a new job: the pid of its owner, plus PIDS for each older job with that id. */
static uint64_t choose_id(const schedgpu_broker *b, int32_t pid) {
  uint64_t id = (uint64_t)pid;
  while (sg_job_find(b->r, SCHEDGPU_JOB_RUN, id) != SG_NONE)
    id += PIDS;
  return id;
}

/** The device as the limits need it. The region's reserves include the site's SafetyMargin. */
static struct schedgpu_device_spec spec_of(const struct sg_device *device) {
  return (struct schedgpu_device_spec){.total_bytes = device->total_bytes,
                                       .reserved_bytes = device->total_bytes - sg_usable(device),
                                       .context_bytes = device->context_bytes};
}

/** Decides the budget on one device. ETOOBIG: more than MaxMem or the device allows. */
static int decide_budget(const struct sg_conf *conf, const struct sg_device *of_region,
                         uint32_t processes, uint64_t *budget_bytes) {
  struct schedgpu_device_spec device = spec_of(of_region);
  bool percentage = false;
  if (*budget_bytes == 0)
    *budget_bytes = sg_default_budget(conf, device.total_bytes, &percentage);
  return sg_bound_on_device(conf, &device, processes, percentage, budget_bytes) == SG_BUDGET_FITS
             ? SCHEDGPU_OK
             : SCHEDGPU_ETOOBIG;
}

static bool may_exceed_max_priority(const struct terms *terms, uint32_t uid) {
  for (uint32_t i = 0; i < terms->above_count; i++)
    if (terms->above[i] == uid)
      return true;
  return false;
}

static bool may_have_lane(const struct sg_conf *conf, const struct sg_wire_begin *q) {
  return q->lane == SCHEDGPU_LANE_NONE || (conf->lanes && q->share <= conf->max_share);
}

/** Fills `spec` from the message, within the limits. The core checks the rest. */
static int decide(const schedgpu_broker *b, const struct terms *terms, const struct connection *c,
                  const struct sg_wire_begin *q, struct schedgpu_job_spec *spec) {
  *spec = (struct schedgpu_job_spec){
      .kind = SCHEDGPU_JOB_RUN,
      .uid = c->uid,
      .priority =
          sg_bound_priority(&terms->conf, may_exceed_max_priority(terms, c->uid), q->priority),
      .mode = q->mode,
      .device_mask = q->device_mask,
      .flags = q->flags | SCHEDGPU_JOB_FLAG_OWNED,
      .processes = q->processes,
      .wait_ns = q->wait_ns,
      .lane = q->lane,
      .persistent_bytes = q->persistent_bytes,
      .length_ns = q->length_ns,
      .share = q->share};
  if ((q->flags & ~SCHEDGPU_JOB_FLAG_OVERFLOW_WAITS) || q->wait_ns < SCHEDGPU_FOREVER ||
      q->processes == 0 || q->processes > SCHEDGPU_MAX_CLIENTS || q->reserved != 0 ||
      !may_have_lane(&terms->conf, q))
    return SCHEDGPU_EINVAL;
  copy_name(spec->name, q->name);
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++) {
    if (!(q->device_mask & 1u << d))
      continue;
    spec->budget_bytes[d] = q->budget_bytes[d];
    int rc = sg_device_present(b->r, d) ? decide_budget(&terms->conf, &b->r->device[d],
                                                        q->processes, &spec->budget_bytes[d])
                                        : SCHEDGPU_EDEVICE;
    if (rc != SCHEDGPU_OK)
      return rc;
  }
  return SCHEDGPU_OK;
}

static int decide_by_terms(schedgpu_broker *b, const struct connection *c,
                           const struct sg_wire_begin *q, struct schedgpu_job_spec *spec) {
  pthread_mutex_lock(&b->terms_mutex);
  int rc = decide(b, &b->terms, c, q, spec);
  pthread_mutex_unlock(&b->terms_mutex);
  return rc;
}

static int begin(schedgpu_broker *b, const struct connection *c, struct schedgpu_job_spec *spec) {
  struct sg_wakes wakes;
  int rc = sg_admin_enter_and_check(b->admin, &wakes);
  if (rc != SCHEDGPU_OK)
    return rc;
  rc = may_begin(b, c->uid) ? SCHEDGPU_OK : SCHEDGPU_EFULL;
  spec->job_id = choose_id(b, c->pid);
  if (rc == SCHEDGPU_OK)
    rc = sg_job_begin(b->r, spec, c->client->slot, sg_now_ns(), &wakes);
  sg_leave(b, &wakes);
  b->unsaved = b->unsaved || rc == SCHEDGPU_OK;
  return rc;
}

/** The slot comes first, because a job whose owner has none would end at once. */
int sg_serve_begin(schedgpu_broker *b, struct connection *c, const struct sg_wire_begin *q,
                   struct sg_wire_begun *begun, int fds[2]) {
  struct schedgpu_job_spec spec;
  uint64_t slurm_job;
  int rc = sg_job_of_cgroup(b, c, &slurm_job);
  if (rc == SCHEDGPU_OK && slurm_job != 0 && c->uid != 0)
    rc = SCHEDGPU_EPERM; /* the Slurm job has a budget already */
  if (rc == SCHEDGPU_OK)
    rc = decide_by_terms(b, c, q, &spec);
  if (rc == SCHEDGPU_OK)
    rc = sg_serve_owner(b, c, fds);
  if (rc != SCHEDGPU_OK)
    return rc;
  rc = begin(b, c, &spec);
  if (rc != SCHEDGPU_OK) {
    sg_serve_detach(b, c->client);
    sg_close_both(fds);
    return rc;
  }
  if (b->limits.jobs_per_second > 0) /* ended jobs are in a ring that all users share */
    sg_user_charge(c->user, b->limits.messages_per_second / b->limits.jobs_per_second);
  begun->id = spec.job_id;
  begun->priority = spec.priority;
  memcpy(begun->budget_bytes, spec.budget_bytes, sizeof begun->budget_bytes);
  return rc;
}

/** True if this process began the job, through any of its connections. */
static bool owns(const schedgpu_broker *b, const struct connection *c, const struct sg_job *job) {
  if (job->owner_slot < SG_FIRST_CLIENT || job->owner_slot >= SG_SLOTS)
    return false;
  const struct sg_client *owner = &b->r->client[job->owner_slot];
  return job->uid == c->uid && owner->state == SG_ACTIVE && owner->agen == job->owner_gen &&
         owner->uid == c->uid && owner->pid == c->pid &&
         !sg_slot_dead(&b->admin->h, job->owner_slot);
}

int sg_serve_end(schedgpu_broker *b, struct connection *c, const struct sg_wire_end *q) {
  struct sg_wakes wakes;
  int rc = sg_admin_enter_and_check(b->admin, &wakes);
  if (rc != SCHEDGPU_OK)
    return rc;
  uint32_t j = sg_job_find(b->r, SCHEDGPU_JOB_RUN, q->id), slot = SG_NONE;
  rc = j != SG_NONE && owns(b, c, &b->r->job[j]) ? SCHEDGPU_OK : SCHEDGPU_ENOJOB;
  if (rc == SCHEDGPU_OK) {
    slot = b->r->job[j].owner_slot;
    sg_job_end(b->r, j, sg_now_ns(), &wakes);
    sg_client_remove(b->r, slot, sg_now_ns(), &wakes);
    sg_live_file_remove(b, slot);
    b->unsaved = true;
  }
  sg_leave(b, &wakes);
  struct broker_client *owner = rc == SCHEDGPU_OK ? sg_broker_client_in_slot(b, slot) : NULL;
  if (owner)
    sg_broker_client_forget(b, owner);
  return rc;
}

/** Connections that ended before this message are closed by now, so their use is counted. */
int sg_serve_use(schedgpu_broker *b, const struct connection *c, const struct sg_wire_end *of,
                 struct schedgpu_job_use *use) {
  struct sg_wakes wakes;
  sg_publish_use(b);
  int rc = sg_admin_enter_and_check(b->admin, &wakes);
  if (rc != SCHEDGPU_OK)
    return rc;
  uint32_t j = sg_job_find(b->r, SCHEDGPU_JOB_RUN, of->id);
  rc = j != SG_NONE && owns(b, c, &b->r->job[j]) ? SCHEDGPU_OK : SCHEDGPU_ENOJOB;
  if (rc == SCHEDGPU_OK)
    sg_copy_use(use, &b->r->job[j]);
  sg_leave(b, &wakes);
  return rc;
}

/** The caller may read the region next, so the region gets the current use. */
int sg_serve_devices(schedgpu_broker *b, struct sg_wire_node *node) {
  sg_publish_use(b);
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++) {
    const struct sg_device *device = &b->r->device[d];
    if (!sg_device_present(b->r, d))
      continue;
    node->present |= 1u << d;
    node->gpu[d].total_bytes = device->total_bytes;
    node->gpu[d].usable_bytes = sg_usable(device);
    node->gpu[d].context_bytes = device->context_bytes;
    memcpy(node->gpu[d].uuid, device->uuid, sizeof device->uuid);
  }
  return SCHEDGPU_OK;
}

static int copy_text(char *to, size_t size, const char *from) {
  if (strlen(from) >= size)
    return SCHEDGPU_EINVAL;
  memcpy(to, from, strlen(from) + 1);
  return SCHEDGPU_OK;
}

/** Checked here, because an error could not be reported later. */
static int fill_terms(struct terms *to, const char *default_mem, const char *max_mem,
                      int32_t max_priority, const uint32_t *above, uint32_t above_count) {
  uint64_t bytes;
  bool sizes =
      schedgpu_parse_bytes(max_mem, 1 << 20, &bytes) == SCHEDGPU_OK &&
      (!default_mem[0] || schedgpu_parse_bytes(default_mem, 1 << 20, &bytes) == SCHEDGPU_OK) &&
      copy_text(to->conf.default_mem, sizeof to->conf.default_mem, default_mem) == SCHEDGPU_OK &&
      copy_text(to->conf.max_mem, sizeof to->conf.max_mem, max_mem) == SCHEDGPU_OK;
  if (!sizes || max_priority < 0 || max_priority > 100 || above_count > SG_TERMS_USERS)
    return SCHEDGPU_EINVAL;
  to->conf.max_priority = max_priority;
  to->above_count = above_count;
  for (uint32_t i = 0; i < above_count; i++)
    to->above[i] = above[i];
  return SCHEDGPU_OK;
}

int schedgpu_broker_set_terms(schedgpu_broker *b, const char *default_mem, const char *max_mem,
                              int32_t max_priority, const uint32_t *above, uint32_t above_count) {
  struct terms fresh = {0};
  int rc = fill_terms(&fresh, default_mem, max_mem, max_priority, above, above_count);
  if (rc != SCHEDGPU_OK)
    return rc;
  pthread_mutex_lock(&b->terms_mutex);
  fresh.conf.lanes = b->terms.conf.lanes;
  fresh.conf.max_share = b->terms.conf.max_share;
  b->terms = fresh;
  pthread_mutex_unlock(&b->terms_mutex);
  return SCHEDGPU_OK;
}

void schedgpu_broker_set_lanes(schedgpu_broker *b, int lanes, uint32_t max_share) {
  pthread_mutex_lock(&b->terms_mutex);
  b->terms.conf.lanes = lanes != 0;
  b->terms.conf.max_share = max_share;
  pthread_mutex_unlock(&b->terms_mutex);
}

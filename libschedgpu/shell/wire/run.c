/* run.c - begins a job through the agent; this process owns it. See run.h. */
#include "schedgpu/run.h"
#include "link.h"
#include "../client/self.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define TIMEOUT_NS UINT64_C(3000000000)
/** Time-out of calls that can do without an answer, so a stopped agent blocks nobody. */
#define REFRESH_NS UINT64_C(200000000)

/** Has its own client, because that of the process belongs to the job, or to another one. */
struct schedgpu_run {
  struct sg_self self; /**< only `link` and the run directory are used */
  uint64_t id;         /**< 0: no job */
};

static int ask_within(schedgpu_run *run, uint64_t patience_ns, struct sg_wire_question *q,
                      struct sg_wire_answer *a, int fds[2]) {
  run->self.link.deadline_ns = sg_now_ns() + patience_ns;
  return sg_link_ask_in_time(&run->self, q, a, fds);
}

static int ask(schedgpu_run *run, struct sg_wire_question *q, struct sg_wire_answer *a,
               int fds[2]) {
  return ask_within(run, TIMEOUT_NS, q, a, fds);
}

int schedgpu_run_open(const char *run_dir, schedgpu_run **run) {
  *run = NULL;
  if (!sg_link_exists(run_dir))
    return SCHEDGPU_EAGENT;
  schedgpu_run *fresh = calloc(1, sizeof *fresh);
  if (!fresh)
    return SCHEDGPU_ESYSTEM;
  snprintf(fresh->self.h.run_dir, sizeof fresh->self.h.run_dir, "%s", run_dir);
  *run = fresh;
  return SCHEDGPU_OK;
}

int schedgpu_run_devices(schedgpu_run *run, struct schedgpu_setup *node) {
  struct sg_wire_question q = {.head.type = SG_WIRE_DEVICES};
  struct sg_wire_answer a;
  int rc = ask(run, &q, &a, NULL);
  if (rc != SCHEDGPU_OK)
    return rc;
  *node = (struct schedgpu_setup){0};
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++) {
    const struct sg_wire_node_gpu *gpu = &a.node.gpu[d];
    if (!(a.node.present & 1u << d))
      continue;
    struct schedgpu_device_spec *device = &node->device[node->device_count++];
    *device = (struct schedgpu_device_spec){.index = d,
                                            .total_bytes = gpu->total_bytes,
                                            .reserved_bytes = gpu->total_bytes - gpu->usable_bytes,
                                            .context_bytes = gpu->context_bytes};
    memcpy(device->uuid, gpu->uuid, sizeof device->uuid);
    device->uuid[sizeof device->uuid - 1] = 0;
  }
  return SCHEDGPU_OK;
}

int schedgpu_run_refresh(const char *run_dir) {
  schedgpu_run *run;
  struct sg_wire_question q = {.head.type = SG_WIRE_DEVICES};
  struct sg_wire_answer a;
  int rc = schedgpu_run_open(run_dir, &run);
  if (rc == SCHEDGPU_OK)
    rc = ask_within(run, REFRESH_NS, &q, &a, NULL);
  schedgpu_run_close(run);
  return rc;
}

static void describe(struct sg_wire_begin *begin, const struct schedgpu_job_spec *spec) {
  *begin = (struct sg_wire_begin){.wait_ns = spec->wait_ns,
                                  .mode = spec->mode,
                                  .device_mask = spec->device_mask,
                                  .flags = spec->flags & SCHEDGPU_JOB_FLAG_OVERFLOW_WAITS,
                                  .processes = spec->processes ? spec->processes : 1,
                                  .priority = spec->priority,
                                  .lane = spec->lane,
                                  .persistent_bytes = spec->persistent_bytes,
                                  .length_ns = spec->length_ns,
                                  .share = spec->share};
  memcpy(begin->budget_bytes, spec->budget_bytes, sizeof begin->budget_bytes);
  memcpy(begin->name, spec->name, sizeof begin->name);
}

int schedgpu_run_begin(schedgpu_run *run, struct schedgpu_job_spec *spec) {
  struct sg_wire_question q = {.head.type = SG_WIRE_BEGIN};
  struct sg_wire_answer a;
  int fds[2];
  if (run->id != 0)
    return SCHEDGPU_EINVAL;
  describe(&q.begin, spec);
  int rc = ask(run, &q, &a, fds);
  if (rc == SCHEDGPU_OK)
    rc = sg_link_map(&run->self.link, fds); /* from now on this process owns it */
  if (rc != SCHEDGPU_OK)
    return rc;
  run->id = spec->job_id = a.begun.id;
  spec->kind = SCHEDGPU_JOB_RUN;
  spec->flags |= SCHEDGPU_JOB_FLAG_OWNED;
  spec->priority = a.begun.priority;
  memcpy(spec->budget_bytes, a.begun.budget_bytes, sizeof spec->budget_bytes);
  return SCHEDGPU_OK;
}

int schedgpu_run_use(schedgpu_run *run, struct schedgpu_job_use *use) {
  struct sg_wire_question q = {.head.type = SG_WIRE_USE, .end.id = run->id};
  struct sg_wire_answer a;
  int rc = run->id != 0 ? ask_within(run, REFRESH_NS, &q, &a, NULL) : SCHEDGPU_ENOJOB;
  if (rc == SCHEDGPU_OK)
    *use = a.use;
  return rc;
}

/** Ends the job. Without an agent it ends with the liveness file that this process maps. */
void schedgpu_run_close(schedgpu_run *run) {
  struct sg_wire_question q = {.head.type = SG_WIRE_END};
  struct sg_wire_answer a;
  if (!run)
    return;
  q.end.id = run->id;
  if (run->id != 0)
    ask(run, &q, &a, NULL);
  sg_link_unmap(&run->self.link);
  sg_link_close(&run->self.link);
  free(run);
}

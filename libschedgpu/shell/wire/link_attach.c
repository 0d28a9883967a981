/* link_attach.c - attaches to an agent and detaches from it; the view of the region. */
#include "link.h"
#include "../client/notice.h"
#include "../client/self.h"
#include "../../core/lanes/lanes.h"
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

/** Creates the view: the parts of a region that concern this process. Job 0 is its own. */
static struct sg_region *new_view(void) {
  void *p = mmap(NULL, sizeof(struct sg_region), PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return p == MAP_FAILED ? NULL : p;
}

static void fill_view(struct sg_region *r, const struct sg_wire_attached *a,
                      const struct sg_job_key *key) {
  struct sg_job *job = &r->job[0];
  r->h.device_count = SCHEDGPU_MAX_DEVICES;
  r->h.job_high = 1;
  job->state = SG_ACTIVE;
  job->kind = key->kind;
  job->id = key->id;
  job->uid = key->uid;
  job->mode = a->mode;
  job->device_mask = a->device_mask;
  job->flags = a->flags;
  job->priority = a->priority;
  job->wait_ns = a->wait_ns;
  job->begun_ns = a->begun_ns;
  job->lane_policy = a->lane; /* a member of lane 0, whose turn is that of the page */
  job->lane = 1;
  job->held_mask = a->device_mask;
  job->marked = 1; /* the page says what the agent wants to know */
  job->measures = SG_MEASURES;
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++) {
    struct sg_device *device = &r->device[d];
    device->state = a->present & 1u << d ? SG_ACTIVE : SG_FREE;
    device->index = d;
    device->total_bytes = a->gpu[d].usable_bytes;
    device->context_bytes = a->gpu[d].context_bytes;
    memcpy(device->uuid, a->gpu[d].uuid, sizeof device->uuid);
    device->uuid[sizeof device->uuid - 1] = 0;
    job->budget_bytes[d] = a->gpu[d].budget_bytes;
  }
}

static int ask_to_attach(struct sg_self *self, const struct sg_job_key *key,
                         struct sg_wire_answer *a) {
  struct sg_wire_question q = {.head.type = SG_WIRE_ATTACH,
                               .attach = {.id = key->id, .kind = key->kind}};
  int fds[2], rc = sg_link_ask_in_time(self, &q, a, fds);
  return rc == SCHEDGPU_OK ? sg_link_map(&self->link, fds) : rc;
}

int sg_link_attach(struct sg_self *self, const char *run_dir, const struct sg_job_key *key,
                   int64_t timeout_ns, struct sg_joined *joined) {
  struct sg_link *link = &self->link;
  struct sg_wire_answer a;
  if (!link->view && !(link->view = new_view()))
    return SCHEDGPU_ESYSTEM;
  self->h.writable = false; /* the view is not a region: nothing may write it as one */
  snprintf(self->h.run_dir, sizeof self->h.run_dir, "%s", run_dir);
  link->attached = false;
  link->deadline_ns = sg_now_ns() + (uint64_t)timeout_ns;
  link->wait_ticket = 0;
  link->wait_lost = false;
  self->h.lock_holder = SG_NOTICE_AGENT;
  int rc = ask_to_attach(self, key, &a);
  if (rc != SCHEDGPU_OK) {
    sg_link_close(link);
    return rc;
  }
  fill_view(link->view, &a.attached, key);
  *joined = (struct sg_joined){0, a.attached.begun_ns, a.attached.mode, a.attached.device_mask};
  link->slot = a.attached.slot;
  link->gen = a.attached.gen;
  link->attached = true;
  self->h.r = link->view;
  self->h.slot = link->slot;
  return SCHEDGPU_OK;
}

void sg_link_detach(struct sg_self *self) {
  struct sg_link *link = &self->link;
  struct sg_wire_question q = {.head.type = SG_WIRE_DETACH};
  struct sg_wire_answer a;
  if (sg_link_ready(self) == SCHEDGPU_OK)
    sg_link_exchange(self, &q, &a, NULL); /* otherwise the lock ends with the mapping */
  atomic_store(&link->page->wait_state, SG_WAIT_OVER);
  sg_futex_wake(&link->page->wait_state, INT32_MAX);
  sg_link_leave(link);
  link->attached = false;
}

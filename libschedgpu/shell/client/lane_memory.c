/* lane_memory.c - a job shares the memory of its lane: schedgpu.h and lane_memory.h. */
#include "self.h"
#include "lane_memory.h"
#include "../../core/lanes/lanes.h"

static bool is_own_device(const struct sg_self *self, uint32_t job, int ordinal) {
  uint32_t d = sg_self_device(self, ordinal);
  return d != SG_NONE && sg_lane_device(self->h.r, job) == d;
}

static int share(struct sg_self *self, void *argument, struct sg_wakes *wakes) {
  (void)wakes;
  const struct sg_region *r = self->h.r;
  if (!self->h.writable)
    return SCHEDGPU_EINVAL; /* the view of a broker client, which has no lanes */
  uint32_t job = sg_client_job(r, &r->client[self->h.slot]);
  if (job != SG_NONE && !is_own_device(self, job, *(int *)argument))
    return SCHEDGPU_EDEVICE;
  return sg_lane_share(self->h.r, self->h.slot);
}

int schedgpu_lane_share(int device) {
  struct sg_self *self = sg_self();
  int rc = self ? schedgpu_attach() : SCHEDGPU_ESYSTEM;
  struct sg_lock_timeout timeout = SG_NO_LOCK_TIMEOUT;
  return rc == SCHEDGPU_OK ? sg_self_do(self, &timeout, share, &device) : rc;
}

struct question {
  int device;
  uint64_t bytes;
  uint32_t door;
  struct sg_lane_view *view;
};

static void add_others(const struct sg_region *r, uint32_t slot, struct sg_lane_view *view) {
  for (uint32_t i = 0; i < sg_clients_end(r); i++) {
    uint64_t bytes = r->turn[i].lane_bytes;
    if (i == slot || bytes == 0 || bytes < view->most_bytes || sg_lane_of(r, i) != view->lane)
      continue;
    if (bytes > view->most_bytes)
      view->count = 0;
    view->most_bytes = bytes;
    if (view->count < SG_LANE_DOORS)
      view->door[view->count++] = r->turn[i].door;
  }
}

static int look(struct sg_self *self, void *argument, struct sg_wakes *wakes) {
  (void)wakes;
  const struct question *q = argument;
  const struct sg_region *r = self->h.r;
  uint32_t slot = self->h.slot, job = sg_client_job(r, &r->client[slot]);
  if (job == SG_NONE)
    return SCHEDGPU_ENOJOB;
  if (!is_own_device(self, job, q->device))
    return SCHEDGPU_EDEVICE;
  if (!sg_shares_lane(r, job) || sg_job_lane(r, job) == SG_NONE)
    return SCHEDGPU_EINVAL;
  if (!sg_turn_is_busy(r, slot))
    return SCHEDGPU_ETURN;
  *q->view =
      (struct sg_lane_view){.limit_bytes = sg_ephemeral(r, job), .lane = sg_job_lane(r, job)};
  add_others(r, slot, q->view);
  return SCHEDGPU_OK;
}

int sg_lane_memory_view(int device, struct sg_lane_view *view) {
  struct sg_self *self = sg_self();
  struct sg_lock_timeout timeout = SG_NO_LOCK_TIMEOUT;
  struct question q = {.device = device, .view = view};
  if (!self)
    return SCHEDGPU_ESYSTEM;
  sg_self_reap(self, true, &timeout);
  return sg_self_do(self, &timeout, look, &q);
}

enum sg_lane_kind sg_lane_kind(void) {
  struct sg_self *self = sg_self();
  if (!self)
    return SG_NO_LANE;
  const struct sg_client *record = sg_self_enter(self);
  const struct sg_job *job = record ? &self->h.r->job[record->job % SCHEDGPU_MAX_JOBS] : NULL;
  enum sg_lane_kind kind = !job || job->lane_policy == SCHEDGPU_LANE_NONE ? SG_NO_LANE
                           : job->shares_lane                             ? SG_SHARES_LANE
                                                                          : SG_IN_LANE;
  sg_self_exit(self);
  return kind;
}

static int note(struct sg_self *self, void *argument, struct sg_wakes *wakes) {
  const struct question *q = argument;
  int rc = sg_lane_map(self->h.r, self->h.slot, q->bytes, q->door);
  sg_serve(self->h.r, sg_now_ns(), wakes); /* its budget may be idle now */
  return rc;
}

int sg_lane_memory_note(int device, uint64_t bytes, uint32_t door) {
  struct sg_self *self = sg_self();
  struct sg_lock_timeout timeout = SG_NO_LOCK_TIMEOUT;
  struct question q = {.device = device, .bytes = bytes, .door = door};
  return self ? sg_self_do(self, &timeout, note, &q) : SCHEDGPU_ESYSTEM;
}

uint64_t sg_lane_memory_noted(int device) {
  struct sg_self *self = sg_self();
  if (!self)
    return 0;
  const struct sg_client *record = sg_self_enter(self);
  bool known = record && sg_self_device(self, device) != SG_NONE;
  uint64_t bytes =
      known ? *(const volatile uint64_t *)&self->h.r->turn[self->h.slot].lane_bytes : 0;
  sg_self_exit(self);
  return bytes;
}

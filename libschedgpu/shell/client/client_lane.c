/*
 * client_lane.c - begins and ends the iterations of a lane job (core/lanes/lanes.h). A process that
 * has the turn of its lane does so without the lock; others wait for it (turn_wait.c).
 */
#include "operations.h"
#include "compute_turn.h"
#include "../../core/lanes/lanes.h"

/** What a turn is for; each call concerns jobs of one kind, and does nothing in others. */
enum kind {
  ITERATIONS, /**< the memory of an iteration, in a lane */
  COMPUTING,  /**< the device itself, of a job with a share */
};

/* --- iterations --- */

static bool is_of_kind(uint32_t policy, enum kind kind) {
  return (policy == SCHEDGPU_LANE_SHARE) == (kind == COMPUTING);
}

/** The lane of this process's job on the device, NULL if it has none of this kind. */
static struct sg_lane *own_lane(struct sg_self *self, int ordinal, enum kind kind) {
  struct sg_region *r = self->h.r;
  uint32_t d = sg_self_device(self, ordinal), lane = SG_NONE;
  if (d < SCHEDGPU_MAX_DEVICES && self->job < SCHEDGPU_MAX_JOBS)
    lane = sg_job_lane(r, self->job);
  bool found = lane != SG_NONE && sg_lane_device(r, self->job) == d;
  return found && is_of_kind(r->job[self->job].lane_policy, kind)
             ? sg_operations_of(self)->lane(self, lane)
             : NULL;
}

static bool begin_alone(struct sg_self *self, int ordinal, enum kind kind) {
  const struct sg_client *record = sg_self_enter(self);
  struct sg_lane *lane = record ? own_lane(self, ordinal, kind) : NULL;
  bool begun = lane && sg_turn_begin_alone(lane, self->h.slot, sg_now_ns());
  sg_self_exit(self);
  return begun;
}

struct check {
  int ordinal;
  enum kind kind;
};

/** OK: it is such a job on this device; ETURN stands for any other job. */
static int check_lane_job(struct sg_self *self, void *argument, struct sg_wakes *wakes) {
  const struct check *check = argument;
  (void)wakes;
  uint32_t d = sg_self_device(self, check->ordinal);
  if (d == SG_NONE)
    return SCHEDGPU_EDEVICE;
  const struct sg_region *r = self->h.r;
  uint32_t job = sg_client_job(r, &r->client[self->h.slot]);
  bool is_lane_job = job != SG_NONE && sg_is_lane_job(r, job);
  return is_lane_job && is_of_kind(r->job[job].lane_policy, check->kind) ? SCHEDGPU_OK
                                                                         : SCHEDGPU_ETURN;
}

/** ETURN: the job takes no such turns. */
static int begin(int device, int64_t timeout_ns, enum kind kind) {
  struct sg_self *self = sg_self();
  struct check check = {device, kind};
  if (timeout_ns < SCHEDGPU_JOB_WAIT)
    return SCHEDGPU_EINVAL;
  if (!self)
    return SCHEDGPU_ESYSTEM;
  if (begin_alone(self, device, kind))
    return SCHEDGPU_OK;
  int rc = schedgpu_attach();
  struct sg_lock_timeout timeout = SG_NO_LOCK_TIMEOUT;
  if (rc == SCHEDGPU_OK)
    rc = sg_self_do(self, &timeout, check_lane_job, &check);
  return rc == SCHEDGPU_OK ? sg_request_turn(self, device, timeout_ns) : rc;
}

int schedgpu_iteration_begin(int device, int64_t timeout_ns) {
  int rc = begin(device, timeout_ns, ITERATIONS);
  return rc == SCHEDGPU_ETURN ? SCHEDGPU_OK : rc;
}

int sg_compute_turn_begin(int device) {
  return begin(device, SCHEDGPU_FOREVER, COMPUTING);
}

/** True if nobody waits for what the process may leave, or it does not have a turn. */
static bool end_alone(struct sg_self *self, int ordinal, enum kind kind) {
  const struct sg_client *record = sg_self_enter(self);
  struct sg_lane *lane = record ? own_lane(self, ordinal, kind) : NULL;
  bool ended = !lane || (sg_turn_end_alone(lane, self->h.slot, sg_now_ns()) &&
                         !sg_turn_end_is_noted(self->h.r, self->job) &&
                         !sg_budget_is_wanted(self, record, sg_lane_device(self->h.r, self->job)));
  sg_self_exit(self);
  return ended;
}

static int end(int device, enum kind kind) {
  struct sg_self *self = sg_self();
  if (!self)
    return SCHEDGPU_ESYSTEM;
  if (atomic_load(&self->record) && sg_self_device(self, device) == SG_NONE)
    return SCHEDGPU_EDEVICE;
  if (end_alone(self, device, kind))
    return SCHEDGPU_OK;
  int rc = sg_operations_of(self)->hand_over(self);
  return rc == SCHEDGPU_ENOJOB ? SCHEDGPU_OK : rc; /* its job has ended meanwhile */
}

int schedgpu_iteration_end(int device) {
  return end(device, ITERATIONS);
}

int sg_compute_turn_end(int device) {
  return end(device, COMPUTING);
}

void sg_compute_turn_leave_out(int device, uint64_t stopped_ns) {
  struct sg_self *self = sg_self();
  if (!self)
    return;
  const struct sg_client *record = sg_self_enter(self);
  struct sg_lane *lane = record ? own_lane(self, device, COMPUTING) : NULL;
  if (lane)
    sg_turn_leave_out_alone(lane, self->h.slot, stopped_ns, sg_now_ns());
  sg_self_exit(self);
}

/* --- whether others wait --- */

static bool is_wanted(int device, enum kind kind) {
  struct sg_self *self = sg_self();
  if (!self)
    return false;
  const struct sg_client *record = sg_self_enter(self);
  const struct sg_lane *lane = record ? own_lane(self, device, kind) : NULL;
  uint64_t turn = lane ? atomic_load(&lane->turn) : 0;
  bool mine = (uint32_t)turn == self->h.slot + 1;
  bool noted = mine && (turn & SG_TURN_BUSY) &&
               (kind == ITERATIONS ? sg_turn_end_is_noted : sg_turn_measures)(self->h.r, self->job);
  bool wanted = mine && (noted || atomic_load(&lane->waiting) != 0);
  sg_self_exit(self);
  return wanted;
}

int schedgpu_turn_wanted(int device) {
  return is_wanted(device, ITERATIONS);
}

bool sg_compute_turn_is_wanted(int device) {
  return is_wanted(device, COMPUTING);
}

void sg_compute_turn_await_waiter(int device, uint64_t ns) {
  static _Atomic uint32_t nobody;
  struct sg_self *self = sg_self();
  const struct sg_client *record = self ? sg_self_enter(self) : NULL;
  struct sg_lane *lane = record ? own_lane(self, device, COMPUTING) : NULL;
  bool mine = lane && (uint32_t)atomic_load(&lane->turn) == self->h.slot + 1;
  if (self)
    sg_self_exit(self);
  /* outside: a detach waits for those inside, and leaves the lane mapped */
  sg_futex_wait(mine ? &lane->waiting : &nobody, 0, ns);
}

bool sg_compute_turn_is_lost(int device) {
  struct sg_self *self = sg_self();
  if (!self)
    return false;
  const struct sg_client *record = sg_self_enter(self);
  const struct sg_lane *lane = record ? own_lane(self, device, COMPUTING) : NULL;
  bool lost = lane && atomic_load(&lane->turn) != ((uint64_t)(self->h.slot + 1) | SG_TURN_BUSY);
  sg_self_exit(self);
  return lost;
}

bool sg_compute_turn_is_due(void) {
  struct sg_self *self = sg_self();
  return self && sg_operations_of(self)->turn_is_due(self);
}

struct sg_reader_slots *sg_compute_turn_launches(void) {
  struct sg_self *self = sg_self();
  return self ? &self->readers : NULL;
}

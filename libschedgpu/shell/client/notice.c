/*
 * notice.c - see notice.h. Reads without the lock, because notices are for people and not for
 * decisions.
 */
#include "notice.h"
#include "../sys/stderr.h"
#include "../../core/lanes/lanes.h"
#include "../../core/rules/need.h"
#include <stdio.h>

static _Atomic(schedgpu_wait_observer) observer;
static _Atomic(void *) observer_argument;
/* initial-exec: does not allocate at its first use, which may be inside malloc() */
static _Thread_local bool in_observer __attribute__((tls_model("initial-exec")));

void schedgpu_set_wait_observer(schedgpu_wait_observer new_observer, void *argument) {
  atomic_store(&observer_argument, argument);
  atomic_store(&observer, new_observer);
}

void sg_notice_send(const struct schedgpu_wait_notice *notice) {
  schedgpu_wait_observer observe = atomic_load(&observer);
  if (!observe || in_observer) /* calls of the observer itself are not reported to it */
    return;
  in_observer = true;
  observe(notice, atomic_load(&observer_argument));
  in_observer = false;
}

bool sg_notice_in_observer(void) {
  return in_observer;
}

static void find_holders(const struct sg_region *r, uint32_t device, uint32_t own,
                         struct schedgpu_wait_notice *n) {
  uint64_t most = 0;
  for (uint32_t j = 0; j < sg_jobs_end(r); j++) {
    uint64_t held = j != own && sg_job_active(r, j) ? sg_held_by(r, j, device) : 0;
    n->holders += held > 0;
    if (held <= most)
      continue;
    most = held;
    n->holder_job_id = r->job[j].id;
    n->holder_uid = r->job[j].uid;
  }
}

void sg_notice_start(const struct sg_region *r, int ordinal, uint32_t waiter,
                     struct schedgpu_wait_notice *n) {
  const struct sg_waiter *w = &r->waiter[waiter];
  uint32_t device = sg_waiter_device(w); /* each field is read once, because others may write it */
  uint32_t job = sg_read_once(&w->job);
  *n = (struct schedgpu_wait_notice){.device = ordinal,
                                     .region_device = (int)device,
                                     .request_bytes =
                                         w->kind == SG_PEAK && !sg_is_beyond_budget(r, w)
                                             ? sg_need_with_budget(r, w, device)
                                             : w->bytes,
                                     .free_bytes = sg_free(&r->device[device]),
                                     .place = sg_place(r, waiter),
                                     .is_context = w->kind == SG_CONTEXT};
  find_holders(r, device, job, n);
  sg_notice_send(n);
}

void sg_notice_turn(const struct sg_region *r, int ordinal, uint32_t slot, uint64_t waited_ns,
                    struct schedgpu_wait_notice *n) {
  uint32_t lane = sg_lane_of(r, slot), holder = SG_NONE, job = SG_NONE;
  if (lane != SG_NONE)
    holder = sg_turn_holder(r, lane);
  if (holder != SG_NONE)
    job = sg_client_job(r, &r->client[holder]);
  *n = (struct schedgpu_wait_notice){
      .device = ordinal, .waited_ns = waited_ns, .is_turn = SCHEDGPU_LANE_TURN};
  if (lane != SG_NONE) {
    n->region_device = (int)(sg_read_once(&r->lane[lane].device) % SCHEDGPU_MAX_DEVICES);
    if (sg_read_once(&r->lane[lane].policy) == SCHEDGPU_LANE_SHARE)
      n->is_turn = SCHEDGPU_COMPUTE_TURN;
  }
  if (job != SG_NONE) {
    n->holders = 1;
    n->holder_job_id = r->job[job].id;
    n->holder_uid = r->job[job].uid;
  }
  sg_notice_send(n);
}

void sg_notice_end(struct schedgpu_wait_notice *n, uint64_t waited_ns, int result) {
  n->ended = 1;
  n->waited_ns = waited_ns;
  n->result = result;
  sg_notice_send(n);
}

void sg_notice_lock(int32_t pid, char state) {
  struct schedgpu_wait_notice n = {.lock_holder_pid = pid, .lock_holder_state = state};
  sg_notice_send(&n);
}

static void print_lock(const struct schedgpu_wait_notice *n, char *line, size_t size) {
  if (n->lock_holder_pid == SG_NOTICE_AGENT) {
    snprintf(line, size,
             "schedgpu: waiting for the agent of this node: it does not answer, or waits for the "
             "lock\n");
    return;
  }
  snprintf(line, size,
           "schedgpu: waiting for process %d (state %c), which holds the region's lock: %s\n",
           n->lock_holder_pid, n->lock_holder_state,
           n->lock_holder_state == 'T' || n->lock_holder_state == 't'
               ? "it is stopped: continue or kill it"
               : "it should be done soon");
}

/**
 * Names the holders; empty if there are none. The agent does not name other users' jobs, so then
 * their number.
 */
static void name_holders(const struct schedgpu_wait_notice *n, char *text, size_t size) {
  text[0] = '\0';
  if (n->holder_job_id != 0)
    snprintf(text, size, "; job %llu (uid %u)%s", (unsigned long long)n->holder_job_id,
             n->holder_uid, n->holders > 1 ? " and others hold it" : " holds it");
  else if (n->holders == 1)
    snprintf(text, size, "; another user's job holds it");
  else if (n->holders > 1)
    snprintf(text, size, "; %u jobs of other users hold it", n->holders);
}

static void print_start(const struct schedgpu_wait_notice *n, char *line, size_t size) {
  char wanted[24], spare[24], holder[64];
  schedgpu_format_bytes(n->request_bytes, wanted);
  schedgpu_format_bytes(n->free_bytes, spare);
  name_holders(n, holder, sizeof holder);
  snprintf(line, size,
           "schedgpu: waiting for %s%s on device %d, %s free: place %u in the queue%s\n", wanted,
           n->is_context ? " (a CUDA context)" : "", n->region_device, spare, n->place, holder);
}

static void print_end(const struct schedgpu_wait_notice *n, char *line, size_t size) {
  char wanted[24];
  schedgpu_format_bytes(n->request_bytes, wanted);
  double seconds = (double)n->waited_ns / 1e9;
  if (n->result == SCHEDGPU_OK)
    snprintf(line, size, "schedgpu: got %s on device %d after %.1f s\n", wanted, n->region_device,
             seconds);
  else
    snprintf(line, size, "schedgpu: stopped waiting for %s on device %d after %.1f s: %s\n", wanted,
             n->region_device, seconds, schedgpu_strerror(n->result));
}

static const char *name_holder(const struct schedgpu_wait_notice *n, char *text, size_t size) {
  snprintf(text, size, "job %llu (uid %u)", (unsigned long long)n->holder_job_id, n->holder_uid);
  return n->holder_job_id != 0 ? text : "another user's job";
}

static void print_turn(const struct schedgpu_wait_notice *n, char *line, size_t size) {
  char holder[64];
  double seconds = (double)n->waited_ns / 1e9;
  if (n->ended)
    snprintf(line, size, "schedgpu: %s the turn on device %d after %.1f s\n",
             n->result == SCHEDGPU_OK ? "got" : "stopped waiting for", n->region_device, seconds);
  else if (n->holders == 0)
    snprintf(line, size, "schedgpu: waiting for the turn on device %d for %.1f s\n",
             n->region_device, seconds);
  else
    snprintf(line, size, "schedgpu: waiting for the turn on device %d for %.1f s: %s %s\n",
             n->region_device, seconds, name_holder(n, holder, sizeof holder),
             n->is_turn == SCHEDGPU_COMPUTE_TURN
                 ? "computes: it has a higher priority, a larger share or a long kernel, or is "
                   "stopped"
                 : "is in an iteration, or keeps more memory than it declared "
                   "(--schedgpu-persistent)");
}

void schedgpu_print_wait(const struct schedgpu_wait_notice *n, void *argument) {
  (void)argument;
  char line[400];
  if (n->lock_holder_pid)
    print_lock(n, line, sizeof line);
  else if (n->is_turn)
    print_turn(n, line, sizeof line);
  else if (n->ended)
    print_end(n, line, sizeof line);
  else
    print_start(n, line, sizeof line);
  size_t length = 0;
  while (line[length])
    length++;
  sg_write_stderr(line, length);
}

/* history_testing.h - the transitions at a given time, for the tests of job records. */
#ifndef SG_HISTORY_TESTING_H
#define SG_HISTORY_TESTING_H

#include "../../core/history/history.h"
#include "../../core/repair/integrity.h"
#include "../support/fixture.h"

#define PEAK SCHEDGPU_MODE_PEAK
#define ONDEMAND SCHEDGPU_MODE_ONDEMAND
#define GATE SCHEDGPU_MODE_GATE
#define CONTEXT (GIB / 4)

static inline int ask_at(struct sg_region *r, uint32_t slot, struct sg_request q, uint64_t now_ns,
                         uint32_t *waiter) {
  struct sg_wakes wakes = {0};
  q.client = slot;
  q.deadline_ns = SG_NO_DEADLINE;
  int rc = sg_ask(r, &q, now_ns, waiter, &wakes);
  fixture_check(r);
  return rc;
}

static inline void take_at(struct sg_region *r, uint32_t slot, uint64_t bytes, uint64_t now_ns) {
  uint32_t waiter;
  struct sg_request q = {.bytes = bytes, .may_wait = true};
  assert_int_equal(ask_at(r, slot, q, now_ns, &waiter), SCHEDGPU_OK);
}

static inline uint32_t wait_at(struct sg_region *r, uint32_t slot, uint64_t bytes,
                               uint64_t now_ns) {
  uint32_t waiter;
  struct sg_request q = {.bytes = bytes, .may_wait = true};
  assert_int_equal(ask_at(r, slot, q, now_ns, &waiter), SCHEDGPU_EWOULDBLOCK);
  assert_int_not_equal(waiter, SG_NONE);
  return waiter;
}

static inline void enter_context(struct sg_region *r, uint32_t slot) {
  uint32_t waiter;
  assert_int_equal(ask_context(r, slot, &waiter), SCHEDGPU_OK);
}

static inline void leave_context(struct sg_region *r, uint32_t slot) {
  struct sg_wakes wakes = {0};
  assert_int_equal(sg_context_leave(r, slot, 0, 1, &wakes), SCHEDGPU_OK);
  fixture_check(r);
}

static inline int settle_at(struct sg_region *r, uint32_t waiter, uint64_t now_ns) {
  struct sg_wakes wakes = {0};
  const struct sg_waiter *w = &r->waiter[waiter];
  int rc = sg_settle(r, waiter, w->ticket, now_ns, &wakes);
  fixture_check(r);
  return rc;
}

/** Releases memory of an ondemand process. */
static inline void give_at(struct sg_region *r, uint32_t slot, uint64_t bytes, uint64_t now_ns) {
  struct sg_wakes wakes = {0};
  assert_int_equal(sg_give_back(r, slot, 0, bytes, now_ns, &wakes), SCHEDGPU_OK);
  fixture_check(r);
}

static inline void leave_at(struct sg_region *r, uint32_t slot, uint64_t now_ns) {
  struct sg_wakes wakes = {0};
  sg_client_remove(r, slot, now_ns, &wakes);
  fixture_check(r);
}

static inline void end_at(struct sg_region *r, uint64_t id, uint64_t now_ns) {
  struct sg_wakes wakes = {0};
  uint32_t job = sg_job_find(r, SCHEDGPU_JOB_SLURM, id);
  assert_int_equal(sg_job_end(r, job, now_ns, &wakes), SCHEDGPU_OK);
  fixture_check(r);
}

static inline struct sg_job *job_of_slot(struct sg_region *r, uint32_t slot) {
  return &r->job[r->client[slot].job];
}

static inline const struct sg_ended *last_ended(const struct sg_region *r) {
  assert_int_not_equal(r->h.ended, 0);
  uint32_t i = (uint32_t)((r->h.ended - 1) % SG_ENDED);
  assert_true(sg_ended_valid(&r->ended[i], i));
  return &r->ended[i];
}

#endif

/* fixture.h - a region in ordinary memory, and short names for the transitions on it. */
#ifndef SG_TEST_FIXTURE_H
#define SG_TEST_FIXTURE_H

#include "../../core/repair/integrity.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)

static inline struct schedgpu_setup fixture_setup(uint32_t devices, uint64_t total_bytes,
                                                  uint64_t context_bytes, uint32_t policy) {
  struct schedgpu_setup s = {.policy = policy, .device_count = devices, .group = -1};
  for (uint32_t i = 0; i < devices; i++) {
    s.device[i] = (struct schedgpu_device_spec){
        .index = i, .total_bytes = total_bytes, .context_bytes = context_bytes};
    snprintf(s.device[i].uuid, sizeof s.device[i].uuid, "GPU-test-%u", i);
    snprintf(s.device[i].name, sizeof s.device[i].name, "Test %u", i);
  }
  return s;
}

/** One region of `devices` devices of 10 GiB each; freed by fixture_free(). */
static inline struct sg_region *fixture_new(uint32_t devices, uint64_t context_bytes,
                                            uint32_t policy) {
  struct sg_region *r = aligned_alloc(64, (sizeof *r + 63) / 64 * 64);
  assert_non_null(r);
  memset(r, 0, sizeof *r);
  struct schedgpu_setup s = fixture_setup(devices, 10 * GIB, context_bytes, policy);
  assert_int_equal(sg_region_init(r, &s, 1), SCHEDGPU_OK);
  return r;
}

static inline void fixture_check(const struct sg_region *r) {
  char text[200];
  if (sg_check(r, text, sizeof text) != SCHEDGPU_OK)
    fail_msg("invariant broken: %s", text);
}

static inline void fixture_free(struct sg_region *r) {
  fixture_check(r);
  free(r);
}

static inline struct schedgpu_job_spec job_spec(uint64_t id, uint32_t mode, uint64_t budget_bytes,
                                                int32_t priority) {
  struct schedgpu_job_spec s = {.job_id = id,
                                .kind = SCHEDGPU_JOB_SLURM,
                                .uid = 1000,
                                .priority = priority,
                                .mode = mode,
                                .device_mask = 1,
                                .wait_ns = SCHEDGPU_FOREVER};
  s.budget_bytes[0] = budget_bytes;
  snprintf(s.name, sizeof s.name, "job%u", (unsigned)id);
  return s;
}

static inline uint32_t begin(struct sg_region *r, const struct schedgpu_job_spec *s) {
  struct sg_wakes wakes = {0};
  assert_int_equal(sg_job_begin(r, s, SG_NONE, 1, &wakes), SCHEDGPU_OK);
  return sg_job_find(r, s->kind, s->job_id);
}

/** Attaches the job's one client, in slot `slot`. */
static inline void join_as(struct sg_region *r, uint32_t slot, const struct schedgpu_job_spec *s) {
  uint32_t job = begin(r, s);
  r->client[slot].gen++;
  assert_int_equal(sg_client_attach(r, slot, job, 1000, (int32_t)slot + 100, 1), SCHEDGPU_OK);
}

/** A job and its one client in slot `slot`. */
static inline void join(struct sg_region *r, uint32_t slot, uint32_t mode, uint64_t budget_bytes,
                        int32_t priority) {
  struct schedgpu_job_spec s = job_spec(slot + 1, mode, budget_bytes, priority);
  join_as(r, slot, &s);
}

/** Attaches one more process to the job of the client in `of_slot`. */
static inline uint32_t add_process(struct sg_region *r, uint32_t slot, uint32_t of_slot) {
  r->client[slot].gen++;
  assert_int_equal(sg_client_attach(r, slot, r->client[of_slot].job, 1000, 7, 1), SCHEDGPU_OK);
  return slot;
}

/** Asks; returns sg_ask()'s result, and the waiter if the request was queued. */
static inline int ask_on(struct sg_region *r, uint32_t slot, uint32_t device, uint64_t bytes,
                         uint32_t *waiter) {
  struct sg_wakes wakes = {0};
  struct sg_request q = {.client = slot,
                         .device = device,
                         .bytes = bytes,
                         .may_wait = true,
                         .deadline_ns = SG_NO_DEADLINE};
  int rc = sg_ask(r, &q, 1, waiter, &wakes);
  fixture_check(r);
  return rc;
}

static inline uint32_t queue_up(struct sg_region *r, uint32_t slot, uint64_t bytes) {
  uint32_t waiter;
  assert_int_equal(ask_on(r, slot, 0, bytes, &waiter), SCHEDGPU_EWOULDBLOCK);
  assert_int_not_equal(waiter, SG_NONE);
  return waiter;
}

static inline void take_now(struct sg_region *r, uint32_t slot, uint64_t bytes) {
  uint32_t waiter;
  assert_int_equal(ask_on(r, slot, 0, bytes, &waiter), SCHEDGPU_OK);
}

static inline int ask_context(struct sg_region *r, uint32_t slot, uint32_t *waiter) {
  struct sg_wakes wakes = {0};
  struct sg_request q = {.client = slot,
                         .device = 0,
                         .context = true,
                         .may_wait = true,
                         .deadline_ns = SG_NO_DEADLINE};
  int rc = sg_ask(r, &q, 1, waiter, &wakes);
  fixture_check(r);
  return rc;
}

static inline int settle(struct sg_region *r, uint32_t waiter) {
  struct sg_wakes wakes = {0};
  int rc = sg_settle(r, waiter, r->waiter[waiter].ticket, 1, &wakes);
  fixture_check(r);
  return rc;
}

/** Releases memory of a job in mode peak, and serves as its process would. */
static inline void give_leased(struct sg_region *r, uint32_t slot, uint32_t device,
                               uint64_t bytes) {
  struct sg_wakes wakes = {0};
  bool idle;
  assert_true(sg_lease_give(&r->client[slot].lease[device], bytes / SG_UNIT_BYTES, &idle));
  sg_serve(r, 1, &wakes);
  fixture_check(r);
}

static inline void give(struct sg_region *r, uint32_t slot, uint64_t bytes) {
  struct sg_wakes wakes = {0};
  if (r->job[r->client[slot].job].mode == SCHEDGPU_MODE_PEAK)
    give_leased(r, slot, 0, bytes);
  else
    assert_int_equal(sg_give_back(r, slot, 0, bytes, 1, &wakes), SCHEDGPU_OK);
  fixture_check(r);
}

/** Contexts of 1 GiB, five jobs with budgets of 6 GiB. Four contexts leave room for a budget, so
 * the fifth job waits, as `waiter`. */
static inline struct sg_region *fixture_full_of_contexts(uint32_t *waiter) {
  struct sg_region *r = fixture_new(1, GIB, SCHEDGPU_POLICY_FIFO);
  for (uint32_t i = 0; i < 5; i++)
    join(r, i, SCHEDGPU_MODE_PEAK, 6 * GIB, 50);
  for (uint32_t i = 0; i < 4; i++)
    assert_int_equal(ask_context(r, i, waiter), SCHEDGPU_OK);
  assert_int_equal(ask_context(r, 4, waiter), SCHEDGPU_EWOULDBLOCK);
  return r;
}

/** Acts as a process that takes the lock over from one that died with it. */
static inline void recover(struct sg_region *r, uint64_t now_ns) {
  struct sg_report report = {0};
  struct sg_wakes wakes = {0};
  assert_int_equal(sg_repair(r, NULL, &report, &wakes), SCHEDGPU_OK);
  sg_repair_finish(r, now_ns, &report, &wakes);
  fixture_check(r);
}

/** Bytes in use on the first device. */
static inline uint64_t used(const struct sg_region *r) {
  return r->device[0].used_bytes;
}

static inline bool granted(const struct sg_region *r, uint32_t waiter) {
  return r->waiter[waiter].state == SG_GRANTED;
}

static inline void die(struct sg_region *r, uint32_t slot) {
  struct sg_wakes wakes = {0};
  sg_client_remove(r, slot, 1, &wakes);
  fixture_check(r);
}

#endif

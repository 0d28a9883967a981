/*
 * random_test.c - random histories: attach, ask, release, leave, die, end, change of policy. Every
 * invariant holds after every step, and nothing is left at the end. SG_SEED=n repeats a history.
 */
#include "../support/fixture.h"
#include "../../core/rules/growth.h"
#include <time.h>

#define SLOTS 24u
#ifdef __SANITIZE_ADDRESS__
#define STEPS 10000
#else
#define STEPS 30000
#endif

struct world {
  struct sg_region *r;
  uint64_t seed;
  uint64_t held[SLOTS][2]; /* what each client has got, per device */
  uint32_t waiter[SLOTS];  /* SG_NONE: no wait */
  uint64_t ticket[SLOTS];
  uint64_t wants[SLOTS];
  uint32_t wants_on[SLOTS];
  bool wants_context[SLOTS];
  uint64_t next_job;
};

static uint64_t draw(struct world *w, uint64_t below) {
  w->seed ^= w->seed << 13;
  w->seed ^= w->seed >> 7;
  w->seed ^= w->seed << 17;
  return w->seed % below;
}

static bool alive(const struct world *w, uint32_t slot) {
  return w->r->client[slot].state == SG_ACTIVE;
}

static void forget(struct world *w, uint32_t slot) {
  w->held[slot][0] = w->held[slot][1] = 0;
  w->waiter[slot] = SG_NONE;
}

static void birth(struct world *w, uint32_t slot, struct sg_wakes *wakes) {
  uint32_t mate = (uint32_t)draw(w, SLOTS);
  uint32_t job = alive(w, mate) && draw(w, 3) == 0 ? w->r->client[mate].job : SG_NONE;
  if (job == SG_NONE) {
    bool peak = draw(w, 2) == 0;
    struct schedgpu_job_spec s =
        job_spec(++w->next_job, peak ? SCHEDGPU_MODE_PEAK : SCHEDGPU_MODE_ONDEMAND,
                 peak || draw(w, 2) ? (1 + draw(w, 8)) * GIB : 0, (int32_t)draw(w, 101));
    s.device_mask = 1 + (uint32_t)draw(w, 3);
    s.budget_bytes[1] = s.budget_bytes[0];
    s.flags = peak && draw(w, 2) ? SCHEDGPU_JOB_FLAG_OVERFLOW_WAITS : 0;
    int rc = sg_job_begin(w->r, &s, SG_NONE, 1, wakes);
    if (rc == SCHEDGPU_EFULL)
      return;
    assert_int_equal(rc, SCHEDGPU_OK);
    job = sg_job_find(w->r, s.kind, s.job_id);
  }
  w->r->client[slot].gen++;
  assert_int_equal(sg_client_attach(w->r, slot, job, 1, 1, 1), SCHEDGPU_OK);
  forget(w, slot);
}

static void ask_for(struct world *w, uint32_t slot, struct sg_wakes *wakes) {
  struct sg_request q = {.client = slot,
                         .device = (uint32_t)draw(w, 2),
                         .bytes = (1 + draw(w, 4 * 1024)) * MIB,
                         /* a further process of a job that holds memory may wait in vain for its
                          * context: architecture.md */
                         .context = draw(w, 6) == 0 && w->held[slot][0] + w->held[slot][1] == 0,
                         .may_wait = draw(w, 4) != 0};
  uint32_t waiter;
  int rc = sg_ask(w->r, &q, 1, &waiter, wakes);
  if (rc == SCHEDGPU_OK && !q.context)
    w->held[slot][q.device] += q.bytes;
  w->waiter[slot] = waiter;
  if (waiter == SG_NONE)
    return;
  assert_int_equal(rc, SCHEDGPU_EWOULDBLOCK);
  w->ticket[slot] = w->r->waiter[waiter].ticket;
  w->wants[slot] = q.bytes;
  w->wants_on[slot] = q.device;
  w->wants_context[slot] = q.context;
}

static void end_wait(struct world *w, uint32_t slot, struct sg_wakes *wakes) {
  int rc = sg_settle(w->r, slot, w->ticket[slot], 1, wakes);
  w->waiter[slot] = SG_NONE;
  if (rc == SCHEDGPU_OK && !w->wants_context[slot])
    w->held[slot][w->wants_on[slot]] += w->wants[slot];
}

static void give_some(struct world *w, uint32_t slot, struct sg_wakes *wakes) {
  uint32_t d = (uint32_t)draw(w, 2), job = w->r->client[slot].job;
  uint64_t bytes = w->held[slot][d] / (1 + draw(w, 2)) / MIB * MIB;
  if (bytes == 0 || !sg_job_active(w->r, job))
    return;
  bool idle;
  if (w->r->job[job].mode == SCHEDGPU_MODE_PEAK) {
    assert_true(sg_lease_give(&w->r->client[slot].lease[d], bytes / SG_UNIT_BYTES, &idle));
    if (idle || sg_budget_grows(w->r, job))
      sg_serve(w->r, 1, wakes);
  } else {
    assert_int_equal(sg_give_back(w->r, slot, d, bytes, 1, wakes), SCHEDGPU_OK);
  }
  w->held[slot][d] -= bytes;
}

static void end_a_job(struct world *w, uint32_t slot, struct sg_wakes *wakes) {
  uint32_t job = w->r->client[slot].job;
  if (!sg_job_active(w->r, job))
    return;
  for (uint32_t i = 0; i < SLOTS; i++)
    if (alive(w, i) && w->r->client[i].job == job)
      forget(w, i);
  assert_int_equal(sg_job_end(w->r, job, 1, wakes), SCHEDGPU_OK);
}

/** Of a job or of no job; mostly less than the device has. */
static void measure_unreserved(struct world *w, uint32_t slot, struct sg_wakes *wakes) {
  uint32_t d = (uint32_t)draw(w, 2), job = w->r->client[slot].job;
  uint64_t bytes = draw(w, 3) == 0 ? draw(w, 11 * 1024) * MIB : 0;
  if (draw(w, 2) == 0)
    assert_int_equal(sg_set_foreign(w->r, d, bytes, 1, wakes), SCHEDGPU_OK);
  else if (sg_job_active(w->r, job))
    assert_int_equal(sg_set_overrun(w->r, job, d, bytes, 1, wakes), SCHEDGPU_OK);
}

static void clear_unreserved(struct world *w, struct sg_wakes *wakes) {
  for (uint32_t d = 0; d < 2; d++) {
    sg_set_foreign(w->r, d, 0, 1, wakes);
    for (uint32_t j = 0; j < SCHEDGPU_MAX_JOBS; j++)
      sg_set_overrun(w->r, j, d, 0, 1, wakes);
  }
}

static void step(struct world *w) {
  struct sg_wakes wakes = {0};
  uint32_t slot = (uint32_t)draw(w, SLOTS);
  uint64_t dice = draw(w, 100);
  if (!alive(w, slot)) {
    birth(w, slot, &wakes);
  } else if (dice < 2) {
    end_a_job(w, slot, &wakes);
  } else if (dice < 8) {
    sg_client_remove(w->r, slot, 1, &wakes);
    forget(w, slot);
  } else if (dice < 10) {
    sg_policy_set(w->r, (uint32_t)draw(w, SCHEDGPU_POLICIES), 1, &wakes);
  } else if (dice < 12) {
    sg_context_leave(w->r, slot, (uint32_t)draw(w, 2), 1, &wakes);
  } else if (dice < 14) {
    measure_unreserved(w, slot, &wakes);
  } else if (w->waiter[slot] != SG_NONE) {
    if (w->r->waiter[w->waiter[slot]].state == SG_GRANTED || dice < 30)
      end_wait(w, slot, &wakes);
  } else if (dice < 60) {
    ask_for(w, slot, &wakes);
  } else {
    give_some(w, slot, &wakes);
  }
}

/** What the clients have got is what the region says they use. */
static void compare_beliefs(const struct world *w) {
  for (uint32_t i = 0; i < SLOTS; i++)
    for (uint32_t d = 0; alive(w, i) && d < 2; d++)
      assert_int_equal(sg_in_use(w->r->client[i].lease[d]) * SG_UNIT_BYTES, w->held[i][d]);
}

/** No request that fits and is next may be left waiting. */
static void no_waiter_is_forgotten(const struct world *w) {
  struct sg_wakes wakes = {0};
  uint64_t grants = w->r->h.grants;
  sg_serve(w->r, 1, &wakes);
  assert_int_equal(w->r->h.grants, grants);
}

static bool end_one_process(struct world *w, struct sg_wakes *wakes) {
  for (uint32_t i = 0; i < SLOTS; i++) {
    wakes->count = 0;
    if (!alive(w, i))
      continue;
    if (w->waiter[i] != SG_NONE && w->r->waiter[w->waiter[i]].state == SG_WAITING)
      continue;
    if (w->waiter[i] != SG_NONE)
      end_wait(w, i, wakes);
    sg_client_remove(w->r, i, 1, wakes);
    forget(w, i);
    fixture_check(w->r);
    return true;
  }
  return false;
}

/** From here on every process that does not wait ends: then none may wait forever. */
static void every_waiter_is_served_in_the_end(struct world *w) {
  struct sg_wakes wakes = {0};
  clear_unreserved(w, &wakes);
  while (end_one_process(w, &wakes))
    ;
  for (uint32_t i = 0; i < SLOTS; i++)
    if (alive(w, i))
      fail_msg("client %u of job %u waits forever (kind %u)", i, w->r->client[i].job,
               w->r->waiter[w->waiter[i]].kind);
}

static void invariants_hold_in_random_histories(void **state) {
  (void)state;
  const char *given = getenv("SG_SEED");
  struct world w = {.r = fixture_new(2, GIB / 8, SCHEDGPU_POLICY_FIFO),
                    .seed = given ? strtoull(given, NULL, 10) : (uint64_t)time(NULL) * 2654435761u};
  w.r->h.overtake_limit = 8;
  w.r->h.deadlock_rule = (uint32_t)(w.seed >> 20 & 1);
  printf("SG_SEED=%llu\n", (unsigned long long)w.seed);
  for (uint32_t i = 0; i < SLOTS; i++)
    w.waiter[i] = SG_NONE;
  for (int i = 0; i < STEPS; i++) {
    step(&w);
    fixture_check(w.r);
    compare_beliefs(&w);
    if (i % 16 == 0)
      no_waiter_is_forgotten(&w);
    if (i % 500 == 499)
      every_waiter_is_served_in_the_end(&w);
  }
  struct sg_wakes wakes = {0};
  clear_unreserved(&w, &wakes);
  for (uint32_t i = 0; i < SLOTS; i++)
    sg_client_remove(w.r, i, 1, &wakes);
  for (uint32_t j = 0; j < SCHEDGPU_MAX_JOBS; j++)
    sg_job_end(w.r, j, 1, &wakes);
  assert_int_equal(w.r->device[0].used_bytes, 0);
  assert_int_equal(w.r->device[1].used_bytes, 0);
  fixture_free(w.r);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(invariants_hold_in_random_histories)};
  return cmocka_run_group_tests_name("random histories", tests, NULL, NULL);
}

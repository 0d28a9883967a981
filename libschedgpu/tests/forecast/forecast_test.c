/*
 * forecast_test.c - the reason why a request waits, and forecasts that are compared with what the
 * region then does.
 */
#include "../support/fixture.h"
#include "../support/random.h"
#include "../../core/rules/queue.h"
#include "../../forecast/forecast.h"
#include "schedgpu/forecast.h"

#define PEAK SCHEDGPU_MODE_PEAK
#define ONDEMAND SCHEDGPU_MODE_ONDEMAND

static schedgpu_forecast *forecast_of(const struct sg_region *r) {
  schedgpu_forecast *f;
  assert_int_equal(schedgpu_forecast_open(r, sizeof *r, &f), SCHEDGPU_OK);
  return f;
}

static struct schedgpu_reason why(const struct sg_region *r, uint32_t waiter) {
  struct schedgpu_reason reason;
  schedgpu_forecast *f = forecast_of(r);
  schedgpu_forecast_reason(f, r->waiter[waiter].ticket, &reason);
  schedgpu_forecast_close(f);
  return reason;
}

static void assert_blames(const struct sg_region *r, uint32_t waiter, uint32_t expected,
                          uint32_t other) {
  struct schedgpu_reason reason = why(r, waiter);
  assert_int_equal(reason.why, expected);
  assert_int_equal(reason.ticket, other == SG_NONE ? 0 : r->waiter[other].ticket);
}

/** 10 GiB: job 1 holds 6, job 2 wants 6, job 3 wants 2. */
static struct sg_region *behind_each_other(uint32_t policy, uint32_t *second, uint32_t *third,
                                           int32_t priority_of_second) {
  struct sg_region *r = fixture_new(1, 0, policy);
  join(r, 0, PEAK, 6 * GIB, 50);
  join(r, 1, PEAK, 6 * GIB, priority_of_second);
  join(r, 2, PEAK, 2 * GIB, 50);
  take_now(r, 0, GIB);
  *second = queue_up(r, 1, GIB);
  *third = queue_up(r, 2, GIB);
  return r;
}

static void missing_memory_is_the_reason_and_names_its_device(void **state) {
  (void)state;
  uint32_t second, third;
  struct sg_region *r = behind_each_other(SCHEDGPU_POLICY_FIFO, &second, &third, 50);
  assert_blames(r, second, SCHEDGPU_WHY_MEMORY, SG_NONE);
  assert_int_equal(why(r, second).device, 0);
  fixture_free(r);
}

static void a_request_that_fits_is_blocked_by_an_older_one(void **state) {
  (void)state;
  uint32_t second, third;
  struct sg_region *r = behind_each_other(SCHEDGPU_POLICY_FIFO, &second, &third, 50);
  assert_blames(r, third, SCHEDGPU_WHY_OLDER, second);
  fixture_free(r);
}

static void a_request_that_fits_is_blocked_by_a_higher_priority(void **state) {
  (void)state;
  uint32_t second, third;
  struct sg_region *r = behind_each_other(SCHEDGPU_POLICY_PRIORITY_FIFO, &second, &third, 90);
  assert_blames(r, third, SCHEDGPU_WHY_PRIORITY, second);
  fixture_free(r);
}

/** A job in mode peak with one process, and a budget on each device of the mask. */
static void join_on(struct sg_region *r, uint32_t slot, uint32_t mask, uint64_t budget_bytes) {
  struct schedgpu_job_spec s = job_spec(slot + 1, PEAK, budget_bytes, 50);
  s.device_mask = mask;
  s.budget_bytes[1] = budget_bytes;
  join_as(r, slot, &s);
}

/** Device 0 becomes free, device 1 does not: the smaller one needs both. */
static void a_request_that_fits_is_blocked_by_a_smaller_one(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(2, 0, SCHEDGPU_POLICY_SM_HPFW);
  uint32_t waiter;
  join_on(r, 0, 1, 10 * GIB);
  join_on(r, 1, 2, 10 * GIB);
  join_on(r, 2, 1, 4 * GIB);
  join_on(r, 3, 3, GIB);
  take_now(r, 0, GIB);
  assert_int_equal(ask_on(r, 1, 1, GIB, &waiter), SCHEDGPU_OK);
  uint32_t larger = queue_up(r, 2, GIB), smaller = queue_up(r, 3, GIB);
  die(r, 0);
  assert_blames(r, larger, SCHEDGPU_WHY_SMALLER, smaller);
  fixture_free(r);
}

static void memory_is_kept_for_a_request_that_was_overtaken_too_often(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_MMU);
  r->h.overtake_limit = 1;
  join(r, 0, PEAK, 4 * GIB, 50);
  join(r, 1, PEAK, 8 * GIB, 50);
  join(r, 2, PEAK, 6 * GIB, 50);
  join(r, 3, PEAK, 2 * GIB, 50);
  take_now(r, 0, GIB);
  uint32_t large = queue_up(r, 1, GIB);
  take_now(r, 2, GIB); /* overtakes it: the limit is reached */
  die(r, 2);
  uint32_t small = queue_up(r, 3, GIB);
  assert_blames(r, small, SCHEDGPU_WHY_KEPT, large);
  fixture_free(r);
}

/** Device 0 of 10 GiB. A waiter holds 4, for which a request waits that has reached its overtake
 * limit. Another request waits for the 1 of a running process. */
static void a_blocked_request_is_not_named_as_the_reason(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(2, 0, SCHEDGPU_POLICY_FIFO);
  enum { WAITS, RUNS_ELSEWHERE, OVERTAKEN, OLDER, RUNS, YOUNGER };
  uint32_t waiter;
  r->h.overtake_limit = 1;
  for (uint32_t slot = WAITS; slot <= YOUNGER; slot++) {
    struct schedgpu_job_spec s = job_spec(slot + 1, ONDEMAND, 0, 50);
    s.device_mask = slot <= RUNS_ELSEWHERE ? 3 : 1;
    join_as(r, slot, &s);
  }
  take_now(r, WAITS, 4 * GIB);
  take_now(r, RUNS, GIB);
  assert_int_equal(ask_on(r, RUNS_ELSEWHERE, 1, 8 * GIB, &waiter), SCHEDGPU_OK);
  assert_int_equal(ask_on(r, WAITS, 1, 3 * GIB, &waiter), SCHEDGPU_EWOULDBLOCK);
  uint32_t overtaken = queue_up(r, OVERTAKEN, 8 * GIB), older = queue_up(r, OLDER, 6 * GIB);
  r->waiter[overtaken].overtaken = 1;
  assert_blames(r, queue_up(r, YOUNGER, 2 * GIB), SCHEDGPU_WHY_OLDER, older);
  fixture_free(r);
}

static void a_missing_admission_is_the_reason(void **state) {
  (void)state;
  uint32_t w;
  struct sg_region *r = fixture_full_of_contexts(&w);
  assert_blames(r, w, SCHEDGPU_WHY_NOT_ADMITTED, SG_NONE);
  fixture_free(r);
}

/** Salus, figure 6: two claims of 8 of 10 GiB; with 4 and 4 neither job is safe. */
static void an_unsafe_state_is_the_reason(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  r->h.deadlock_rule = SCHEDGPU_DEADLOCK_AVOID;
  join(r, 0, ONDEMAND, 8 * GIB, 50);
  join(r, 1, ONDEMAND, 8 * GIB, 50);
  take_now(r, 0, 4 * GIB);
  uint32_t w = queue_up(r, 1, 4 * GIB);
  assert_blames(r, w, SCHEDGPU_WHY_UNSAFE, SG_NONE);
  fixture_free(r);
}

static void an_unknown_ticket_has_no_reason(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  schedgpu_forecast *f = forecast_of(r);
  struct schedgpu_reason reason;
  schedgpu_forecast_reason(f, 4711, &reason);
  assert_int_equal(reason.why, SCHEDGPU_WHY_GONE);
  assert_int_equal(schedgpu_forecast_waits(f, 4711), 0);
  assert_int_equal(schedgpu_forecast_give_up(f, 4711, 1), SCHEDGPU_ENOJOB);
  assert_int_equal(schedgpu_forecast_end(f, SCHEDGPU_JOB_SLURM, 4711, 1), SCHEDGPU_ENOJOB);
  schedgpu_forecast_close(f);
  fixture_free(r);
}

static void other_bytes_are_refused(void **state) {
  (void)state;
  schedgpu_forecast *f;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  assert_int_equal(schedgpu_forecast_open(r, sizeof *r - 1, &f), SCHEDGPU_EVERSION);
  r->h.version++;
  assert_int_equal(schedgpu_forecast_open(r, sizeof *r, &f), SCHEDGPU_EVERSION);
  assert_null(f);
  r->h.version--;
  fixture_free(r);
}

/** The forecast leaves the region unchanged, and after a grant of a context asks for the budget. */
static void a_context_is_followed_by_the_budget(void **state) {
  (void)state;
  uint32_t w;
  struct sg_region *r = fixture_full_of_contexts(&w);
  take_now(r, 0, GIB);
  uint64_t ticket = r->waiter[w].ticket;
  schedgpu_forecast *f = forecast_of(r);
  schedgpu_forecast_end(f, SCHEDGPU_JOB_SLURM, 4, 2);
  /* admitted, and now waits for the budget */
  assert_int_equal(schedgpu_forecast_waits(f, ticket), 1);
  schedgpu_forecast_end(f, SCHEDGPU_JOB_SLURM, 1, 3);
  assert_int_equal(schedgpu_forecast_waits(f, ticket), 0);
  schedgpu_forecast_close(f);
  assert_int_equal(r->waiter[w].state, SG_WAITING);
  fixture_free(r);
}

static void giving_up_serves_the_next_request(void **state) {
  (void)state;
  uint32_t second, third;
  struct sg_region *r = behind_each_other(SCHEDGPU_POLICY_FIFO, &second, &third, 50);
  schedgpu_forecast *f = forecast_of(r);
  assert_int_equal(schedgpu_forecast_give_up(f, r->waiter[second].ticket, 2), SCHEDGPU_OK);
  assert_int_equal(schedgpu_forecast_waits(f, r->waiter[third].ticket), 0);
  schedgpu_forecast_close(f);
  fixture_free(r);
}

static void an_idle_budget_is_given_up_after_the_grace(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  struct sg_wakes wakes = {0};
  bool idle;
  r->h.grace_ns = 100;
  join(r, 0, PEAK, 6 * GIB, 50);
  join(r, 1, PEAK, 6 * GIB, 50);
  take_now(r, 0, GIB);
  assert_true(sg_lease_give(&r->client[0].lease[0], GIB / SG_UNIT_BYTES, &idle));
  r->client[0].idle_since_ns[0] = 1;
  uint32_t w = queue_up(r, 1, GIB);
  schedgpu_forecast *f = forecast_of(r);
  schedgpu_forecast_pass(f, 100);
  assert_int_equal(schedgpu_forecast_waits(f, r->waiter[w].ticket), 1);
  schedgpu_forecast_pass(f, 1000);
  assert_int_equal(schedgpu_forecast_waits(f, r->waiter[w].ticket), 0);
  schedgpu_forecast_close(f);
  sg_serve(r, 1000, &wakes);
  assert_true(granted(r, w));
  fixture_free(r);
}

/* --- the forecast comes true --- */

enum { JOBS = 24, ROUNDS = 300, DAMAGED = 300 };

static struct sg_region *random_region(void) {
  struct sg_region *r = fixture_new(1, draw(2) * GIB / 4, (uint32_t)draw(4));
  r->h.overtake_limit = (uint32_t)draw(4);
  for (uint32_t i = 0; i < JOBS; i++) {
    join(r, i, draw(3) ? PEAK : ONDEMAND, (3 + draw(6)) * GIB, (int32_t)draw(3) * 50);
    uint32_t w = SG_NONE;
    if (draw(4) == 0)
      ask_context(r, i, &w);
    if (w == SG_NONE || r->waiter[w].state != SG_WAITING)
      ask_on(r, i, 0, (1 + draw(3)) * GIB, &w);
    struct sg_wakes wakes = {0};
    if (draw(8) == 0) /* a device on which it has nothing */
      sg_set_overrun(r, i, 0, draw(2) * GIB, 1, &wakes);
  }
  return r;
}

/** Acts as programs do: takes each grant, and allocates after a context. */
static void take_what_was_granted(struct sg_region *r, uint64_t *goes_on_from) {
  for (uint32_t i = 0; i < sg_clients_end(r);) {
    struct sg_waiter w = r->waiter[i];
    if (w.state != SG_GRANTED) {
      i++;
      continue;
    }
    uint64_t origin = goes_on_from[w.client] ? goes_on_from[w.client] : w.ticket;
    bool follows = w.kind == SG_CONTEXT && r->job[w.job].mode == PEAK && !r->job[w.job].held_mask;
    uint32_t next = SG_NONE;
    settle(r, i);
    goes_on_from[w.client] = origin;
    if (follows)
      ask_on(r, w.client, 0, SG_UNIT_BYTES, &next);
    i = 0;
  }
}

static bool still_waits(const struct sg_region *r, uint32_t client) {
  for (uint32_t i = 0; i < sg_clients_end(r); i++)
    if (r->waiter[i].state == SG_WAITING && r->waiter[i].client == client)
      return true;
  return false;
}

static void compare(const struct sg_region *r, const schedgpu_forecast *f,
                    const uint64_t *ticket_of) {
  for (uint32_t i = 0; i < JOBS; i++)
    if (ticket_of[i] != 0)
      assert_int_equal(schedgpu_forecast_waits(f, ticket_of[i]), still_waits(r, i));
}

/** Each ticket that stops waiting is reported, and once. */
static void assert_reported(schedgpu_forecast *f, uint64_t *was_reported,
                            const uint64_t *ticket_of) {
  uint64_t left[SG_SLOTS];
  uint32_t n = schedgpu_forecast_left(f, left, 3);
  if (n == 3)
    n += schedgpu_forecast_left(f, left + 3, SG_SLOTS - 3);
  for (uint32_t k = 0; k < n; k++) {
    uint32_t i = 0;
    while (i < JOBS && ticket_of[i] != left[k])
      i++;
    assert_true(i < JOBS);
    assert_int_equal(was_reported[i], 0);
    was_reported[i] = 1;
  }
  for (uint32_t i = 0; i < JOBS; i++)
    if (ticket_of[i] != 0)
      assert_int_equal(was_reported[i], !schedgpu_forecast_waits(f, ticket_of[i]));
}

static void note_tickets(const struct sg_region *r, uint64_t *ticket_of) {
  memset(ticket_of, 0, JOBS * sizeof *ticket_of);
  for (uint32_t i = 0; i < sg_clients_end(r); i++)
    if (r->waiter[i].state == SG_WAITING)
      ticket_of[r->waiter[i].client] = r->waiter[i].ticket;
}

static void the_forecast_comes_true(void **state) {
  (void)state;
  seed = seed_of_run();
  print_message("seed %llu (SG_SEED=... repeats)\n", (unsigned long long)seed);
  uint64_t served = 0;
  for (uint32_t round = 0; round < ROUNDS; round++) {
    struct sg_region *r = random_region();
    struct sg_wakes wakes = {0};
    uint64_t ticket_of[JOBS], was_reported[JOBS] = {0}, goes_on_from[SG_SLOTS] = {0};
    take_what_was_granted(r, goes_on_from);
    memset(goes_on_from, 0, sizeof goes_on_from);
    note_tickets(r, ticket_of);
    schedgpu_forecast *f = forecast_of(r);
    for (uint32_t k = 0; k < JOBS; k++) {
      uint64_t id = 1 + draw(JOBS);
      uint32_t job = sg_job_find(r, SCHEDGPU_JOB_SLURM, id);
      if (job == SG_NONE || (still_waits(r, (uint32_t)id - 1) && draw(2)))
        continue;
      uint32_t before = r->h.queue_length;
      wakes.count = 0;
      sg_job_end(r, job, 2 + k, &wakes);
      take_what_was_granted(r, goes_on_from);
      assert_int_equal(schedgpu_forecast_end(f, SCHEDGPU_JOB_SLURM, id, 2 + k), SCHEDGPU_OK);
      compare(r, f, ticket_of);
      assert_reported(f, was_reported, ticket_of);
      fixture_check(&f->region);
      served += before > r->h.queue_length;
    }
    schedgpu_forecast_close(f);
    fixture_free(r);
  }
  assert_true(served > ROUNDS); /* otherwise the queues never moved */
}

static uint64_t any_number(void) {
  switch (draw(5)) {
  case 0:
    return UINT64_MAX - draw(3);
  case 1:
    return UINT64_C(1) << draw(64);
  case 2:
    return (uint64_t)draw(1 << 30) << 32 | draw(1 << 30);
  default:
    return draw(1200);
  }
}

/** Writes `size` random bytes from `at` on, as a user who may write the region could. */
static void damage(struct sg_region *r, const void *record, size_t size) {
  uint64_t value = any_number();
  size_t at = draw(size / 4) * 4, width = draw(2) ? 8 : 4;
  char *bytes = (char *)r + ((const char *)record - (const char *)r) + at;
  memcpy(bytes, &value, at + width <= size ? width : 4);
}

static void damage_something(struct sg_region *r) {
  switch (draw(5)) {
  case 0:
    damage(r, &r->h.device_count, sizeof r->h - offsetof(struct sg_header, device_count));
    break;
  case 1:
    damage(r, &r->device[draw(3)], sizeof r->device[0]);
    break;
  case 2:
    damage(r, &r->job[draw(JOBS + 2)], sizeof r->job[0]);
    break;
  case 3:
    damage(r, &r->client[draw(JOBS + 2)], sizeof r->client[0]);
    break;
  default:
    damage(r, &r->waiter[draw(JOBS + 2)], sizeof r->waiter[0]);
  }
}

static void ask_everything(schedgpu_forecast *f) {
  struct schedgpu_reason reason;
  for (uint64_t ticket = 0; ticket < 2 * JOBS; ticket++)
    schedgpu_forecast_reason(f, ticket, &reason);
  for (uint32_t id = 1; id <= JOBS; id += 2)
    schedgpu_forecast_end(f, SCHEDGPU_JOB_SLURM, id, id);
  for (uint64_t ticket = 0; ticket < 2 * JOBS; ticket += 3)
    schedgpu_forecast_give_up(f, ticket, ticket);
  schedgpu_forecast_pass(f, UINT64_MAX / 2);
}

/** If users write the region: the caller is the agent, or a program of root. */
static void any_content_of_a_region_has_a_forecast(void **state) {
  (void)state;
  seed = seed_of_run();
  print_message("seed %llu (SG_SEED=... repeats)\n", (unsigned long long)seed);
  for (uint32_t round = 0; round < DAMAGED; round++) {
    struct sg_region *r = random_region();
    for (uint32_t i = draw(20) + 1; i > 0; i--)
      damage_something(r);
    schedgpu_forecast *f;
    if (schedgpu_forecast_open(r, sizeof *r, &f) == SCHEDGPU_OK)
      ask_everything(f);
    schedgpu_forecast_close(f);
    free(r);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(missing_memory_is_the_reason_and_names_its_device),
      cmocka_unit_test(a_request_that_fits_is_blocked_by_an_older_one),
      cmocka_unit_test(a_request_that_fits_is_blocked_by_a_higher_priority),
      cmocka_unit_test(a_request_that_fits_is_blocked_by_a_smaller_one),
      cmocka_unit_test(memory_is_kept_for_a_request_that_was_overtaken_too_often),
      cmocka_unit_test(a_blocked_request_is_not_named_as_the_reason),
      cmocka_unit_test(a_missing_admission_is_the_reason),
      cmocka_unit_test(an_unsafe_state_is_the_reason),
      cmocka_unit_test(an_unknown_ticket_has_no_reason),
      cmocka_unit_test(other_bytes_are_refused),
      cmocka_unit_test(a_context_is_followed_by_the_budget),
      cmocka_unit_test(giving_up_serves_the_next_request),
      cmocka_unit_test(an_idle_budget_is_given_up_after_the_grace),
      cmocka_unit_test(the_forecast_comes_true),
      cmocka_unit_test(any_content_of_a_region_has_a_forecast),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * one_request_test.c - a process has one request at a time: a second request is EBUSY, and changes
 * nothing. Rules: docs/reference/rules.md, "Asking".
 */
#include "../support/fixture.h"
#include <string.h>

enum { WAITS, SIBLING, HOLDS };

/** 10 GiB: a job holds 8, a process of another one waits for 4. */
static struct sg_region *region_where_one_waits(uint32_t mode, uint64_t budget_bytes,
                                                uint32_t *waiter) {
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_MMU);
  join(r, WAITS, mode, budget_bytes, 50);
  add_process(r, SIBLING, WAITS);
  join(r, HOLDS, SCHEDGPU_MODE_ONDEMAND, 0, 50);
  take_now(r, HOLDS, 8 * GIB);
  *waiter = queue_up(r, WAITS, 4 * GIB);
  return r;
}

static void expect_busy(struct sg_region *r, uint32_t slot, uint64_t bytes) {
  uint32_t none;
  uint64_t before = used(r), tickets = r->h.ticket;
  assert_int_equal(ask_on(r, slot, 0, bytes, &none), SCHEDGPU_EBUSY);
  assert_int_equal(none, SG_NONE);
  assert_int_equal(used(r), before);
  assert_int_equal(r->h.ticket, tickets);
}

static void a_waiting_process_gets_nothing_else(void **state) {
  (void)state;
  uint32_t waiter;
  struct sg_region *r = region_where_one_waits(SCHEDGPU_MODE_ONDEMAND, 0, &waiter);
  expect_busy(r, WAITS, GIB); /* which would fit */
  expect_busy(r, WAITS, 3 * GIB);
  fixture_free(r);
}

static void a_grant_is_settled_first(void **state) {
  (void)state;
  uint32_t waiter;
  struct sg_region *r = region_where_one_waits(SCHEDGPU_MODE_ONDEMAND, 0, &waiter);
  die(r, HOLDS);
  assert_true(granted(r, waiter));
  expect_busy(r, WAITS, GIB);
  assert_int_equal(settle(r, waiter), SCHEDGPU_OK);
  take_now(r, WAITS, GIB);
  fixture_free(r);
}

static void a_process_that_gave_up_may_ask_again(void **state) {
  (void)state;
  uint32_t waiter;
  struct sg_region *r = region_where_one_waits(SCHEDGPU_MODE_ONDEMAND, 0, &waiter);
  assert_int_equal(settle(r, waiter), SCHEDGPU_EWOULDBLOCK);
  take_now(r, WAITS, GIB);
  fixture_free(r);
}

static void siblings_are_not_busy(void **state) {
  (void)state;
  uint32_t waiter;
  struct sg_region *r = region_where_one_waits(SCHEDGPU_MODE_ONDEMAND, 0, &waiter);
  take_now(r, SIBLING, GIB);
  fixture_free(r);
}

static void an_impossible_request_is_refused_before_busy(void **state) {
  (void)state;
  uint32_t waiter;
  struct sg_region *r = region_where_one_waits(SCHEDGPU_MODE_PEAK, 5 * GIB, &waiter);
  assert_int_equal(ask_on(r, WAITS, 0, 6 * GIB, &waiter), SCHEDGPU_EBUDGET);
  assert_int_equal(ask_on(r, HOLDS, 0, 11 * GIB, &waiter), SCHEDGPU_ETOOBIG);
  expect_busy(r, WAITS, GIB);
  fixture_free(r);
}

/** Its job holds its budget; the process waits for the context of a further process than its job
 * declared. */
static void not_even_within_a_held_budget(void **state) {
  (void)state;
  uint32_t waiter;
  struct sg_region *r = fixture_new(1, GIB, SCHEDGPU_POLICY_MMU);
  join(r, WAITS, SCHEDGPU_MODE_PEAK, 4 * GIB, 50);
  take_now(r, WAITS, GIB);
  assert_int_equal(ask_context(r, WAITS, &waiter), SCHEDGPU_OK);
  add_process(r, SIBLING, WAITS);
  join(r, HOLDS, SCHEDGPU_MODE_ONDEMAND, 0, 50);
  take_now(r, HOLDS, 4 * GIB);
  assert_int_equal(ask_context(r, SIBLING, &waiter), SCHEDGPU_EWOULDBLOCK);
  expect_busy(r, SIBLING, GIB);
  take_now(r, WAITS, GIB);
  fixture_free(r);
}

/** The admission of the job has reserved it. */
static void a_covered_context_needs_no_request(void **state) {
  (void)state;
  uint32_t waiter;
  struct sg_region *r = fixture_new(1, GIB, SCHEDGPU_POLICY_MMU);
  join(r, WAITS, SCHEDGPU_MODE_ONDEMAND, 0, 50);
  join(r, HOLDS, SCHEDGPU_MODE_ONDEMAND, 0, 50);
  take_now(r, WAITS, GIB);
  take_now(r, HOLDS, 6 * GIB);
  waiter = queue_up(r, WAITS, 4 * GIB);
  uint64_t before = used(r);
  uint32_t none;
  assert_int_equal(ask_context(r, WAITS, &none), SCHEDGPU_OK);
  assert_int_equal(used(r), before);
  expect_busy(r, WAITS, GIB);
  die(r, HOLDS);
  assert_true(granted(r, waiter));
  fixture_free(r);
}

/** As a stray store leaves it; the sums know of it until the next recount. */
static void a_request_whose_record_was_lost_uses_no_budget(void **state) {
  (void)state;
  uint32_t waiter;
  struct sg_region *r = region_where_one_waits(SCHEDGPU_MODE_ONDEMAND, 6 * GIB, &waiter);
  memset(&r->waiter[waiter], 0, sizeof r->waiter[waiter]);
  struct sg_wakes wakes = {0};
  struct sg_request q = {.client = WAITS, .bytes = 4 * GIB, .may_wait = true};
  assert_int_equal(sg_ask(r, &q, 1, &waiter, &wakes), SCHEDGPU_EWOULDBLOCK);
  assert_int_not_equal(waiter, SG_NONE);
  q = (struct sg_request){.client = SIBLING, .bytes = 3 * GIB, .may_wait = true};
  assert_int_equal(sg_ask(r, &q, 1, &waiter, &wakes), SCHEDGPU_EBUDGET); /* 4 are queued */
  sg_recount(r);
  fixture_free(r);
}

static int try_without_waiting(struct sg_region *r, uint32_t slot, uint64_t bytes) {
  struct sg_wakes wakes = {0};
  uint32_t none;
  struct sg_request q = {.client = slot, .bytes = bytes, .deadline_ns = SG_NO_DEADLINE};
  int rc = sg_ask(r, &q, 1, &none, &wakes);
  assert_int_equal(none, SG_NONE);
  return rc;
}

static void a_refused_request_takes_no_ticket(void **state) {
  (void)state;
  uint32_t waiter;
  struct sg_region *r = region_where_one_waits(SCHEDGPU_MODE_ONDEMAND, 0, &waiter);
  uint64_t last = r->waiter[waiter].ticket;
  assert_int_equal(try_without_waiting(r, SIBLING, 3 * GIB), SCHEDGPU_EWOULDBLOCK);
  assert_int_equal(r->h.ticket, last);
  take_now(r, SIBLING, GIB); /* it passes the one that waits */
  assert_int_equal(r->h.ticket, last + 1);
  assert_int_equal(r->waiter[queue_up(r, SIBLING, 3 * GIB)].ticket, last + 2);
  fixture_free(r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_waiting_process_gets_nothing_else),
      cmocka_unit_test(a_refused_request_takes_no_ticket),
      cmocka_unit_test(a_grant_is_settled_first),
      cmocka_unit_test(a_process_that_gave_up_may_ask_again),
      cmocka_unit_test(siblings_are_not_busy),
      cmocka_unit_test(an_impossible_request_is_refused_before_busy),
      cmocka_unit_test(not_even_within_a_held_budget),
      cmocka_unit_test(a_covered_context_needs_no_request),
      cmocka_unit_test(a_request_whose_record_was_lost_uses_no_budget),
  };
  return cmocka_run_group_tests_name("one_request", tests, NULL, NULL);
}

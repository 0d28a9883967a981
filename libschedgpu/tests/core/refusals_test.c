/*
 * refusals_test.c - refused allocations of a job: their number and the largest. See
 * core/history/refusals.c.
 */
#include "history_testing.h"

static void refused_allocations_are_counted_and_the_largest_is_kept(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  join(r, 0, PEAK, 4 * GIB, 50);
  add_process(r, 1, 0);
  sg_refusal_mark(&r->client[0], GIB);
  sg_refusal_mark(&r->client[1], 3 * GIB);
  sg_note_all_refusals(r);
  sg_refusal_mark(&r->client[0], 2 * GIB);
  end_at(r, 1, 5);
  assert_int_equal(last_ended(r)->refusals, 3);
  assert_int_equal(last_ended(r)->refused_bytes, 3 * GIB);
  assert_int_equal(r->h.refusals, 3);
  fixture_free(r);
}

static void a_refusal_is_noted_once(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  join(r, 0, PEAK, 4 * GIB, 50);
  assert_false(sg_refusals_due(r));
  sg_refusal_mark(&r->client[0], GIB);
  assert_true(sg_refusals_due(r));
  sg_note_all_refusals(r);
  assert_false(sg_refusals_due(r));
  sg_note_all_refusals(r);
  assert_int_equal(job_of_slot(r, 0)->refusals, 1);
  fixture_free(r);
}

static void refusals_of_the_dead_count(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  join(r, 0, PEAK, 4 * GIB, 50);
  sg_refusal_mark(&r->client[0], GIB);
  leave_at(r, 0, 5);
  end_at(r, 1, 6);
  assert_int_equal(last_ended(r)->refusals, 1);
  assert_int_equal(last_ended(r)->refused_bytes, GIB);
  fixture_free(r);
}

static void the_next_job_and_process_begin_without_refusals(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  join(r, 0, PEAK, 4 * GIB, 50);
  sg_refusal_mark(&r->client[0], GIB);
  sg_note_all_refusals(r);
  end_at(r, 1, 5);
  sg_refusal_mark(&r->client[0], GIB); /* the process has no job any more */
  leave_at(r, 0, 6);
  join(r, 0, PEAK, 4 * GIB, 50);
  end_at(r, r->job[r->client[0].job].id, 7);
  assert_int_equal(last_ended(r)->refusals, 0);
  assert_int_equal(last_ended(r)->refused_bytes, 0);
  assert_int_equal(r->h.refusals, 1);
  fixture_free(r);
}

/** A program that asks for more than the device has does not need that much. */
static void a_refusal_is_at_most_the_device(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  join(r, 0, PEAK, 4 * GIB, 50);
  sg_refusal_mark(&r->client[0], UINT64_MAX);
  end_at(r, 1, 5);
  assert_int_equal(last_ended(r)->refused_bytes, 10 * GIB);
  fixture_free(r);
}

/** Neither the count nor the size overflows into the other. */
static void refusals_stop_at_the_maximum(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  struct sg_client page = {.refused = UINT64_MAX}; /* the owner of the page may write this */
  join(r, 0, PEAK, 4 * GIB, 50);
  sg_refusal_mark(&r->client[0], GIB);
  sg_refusal_move(&r->client[0], &page);
  sg_refusal_mark(&r->client[0], GIB);
  assert_true(atomic_load(&r->client[0].refused) == UINT64_MAX);
  job_of_slot(r, 0)->refusals = 7;
  end_at(r, 1, 5);
  assert_int_equal(last_ended(r)->refusals, UINT32_MAX);
  fixture_free(r);
}

static void a_moved_mark_is_cleared(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  struct sg_client page = {0};
  join(r, 0, PEAK, 4 * GIB, 50);
  sg_refusal_mark(&page, GIB);
  sg_refusal_move(&r->client[0], &page);
  sg_refusal_move(&r->client[0], &page);
  end_at(r, 1, 5);
  assert_int_equal(last_ended(r)->refusals, 1);
  assert_int_equal(last_ended(r)->refused_bytes, GIB);
  fixture_free(r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(refused_allocations_are_counted_and_the_largest_is_kept),
      cmocka_unit_test(a_refusal_is_noted_once),
      cmocka_unit_test(refusals_of_the_dead_count),
      cmocka_unit_test(the_next_job_and_process_begin_without_refusals),
      cmocka_unit_test(a_refusal_is_at_most_the_device),
      cmocka_unit_test(refusals_stop_at_the_maximum),
      cmocka_unit_test(a_moved_mark_is_cleared),
  };
  return cmocka_run_group_tests_name("refusals", tests, NULL, NULL);
}

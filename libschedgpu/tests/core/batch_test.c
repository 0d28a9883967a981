/* batch_test.c - the calls of several transitions (schedgpu_core_batch.h): the state after each. */
#include "../../core-api/core_api.h"
#include "../../core-api/schedgpu_core_batch.h"
#include "../support/fixture.h"

#define CONTEXT (GIB / 4)

/** Two devices of 10 GiB, contexts of a quarter of a GiB. */
static schedgpu_core *new_core(void) {
  const uint64_t total[2] = {10 * GIB, 10 * GIB}, none[2] = {0, 0}, context[2] = {CONTEXT, CONTEXT};
  schedgpu_core *core;
  assert_int_equal(
      schedgpu_core_create(2, total, none, context, SCHEDGPU_POLICY_FIFO, 0, 0, 1, &core),
      SCHEDGPU_OK);
  return core;
}

static void enter_takes_a_context_and_memory_on_each_device(void **state) {
  (void)state;
  schedgpu_core *core = new_core();
  uint64_t progress[3];
  assert_int_equal(schedgpu_core_enter(core, 7, 50, 3, 4 * GIB, 1, progress), 0);
  assert_int_equal(progress[SCHEDGPU_CORE_TICKET], 0);
  assert_int_equal(progress[SCHEDGPU_CORE_STEP], 4);
  for (uint32_t d = 0; d < 2; d++)
    assert_int_equal(sg_free(&core->region.device[d]), 6 * GIB - CONTEXT);
  schedgpu_core_destroy(core);
}

static void leave_grants_those_that_wait_in_their_order(void **state) {
  (void)state;
  schedgpu_core *core = new_core();
  uint64_t a[3], b[3], c[3];
  uint32_t slots[4];
  int first = schedgpu_core_enter(core, 1, 50, 1, 8 * GIB, 1, a);
  int second = schedgpu_core_enter(core, 2, 50, 1, 3 * GIB, 2, b);
  int third = schedgpu_core_enter(core, 3, 50, 1, 3 * GIB, 3, c);
  assert_int_not_equal(b[SCHEDGPU_CORE_TICKET], 0);
  assert_int_not_equal(c[SCHEDGPU_CORE_TICKET], 0);
  assert_int_equal(schedgpu_core_granted(core, slots, 4), 0);
  assert_int_equal(schedgpu_core_leave(core, (uint32_t)first, 1, 4), SCHEDGPU_OK);
  assert_int_equal(schedgpu_core_granted(core, slots, 1), SCHEDGPU_EINVAL);
  assert_int_equal(schedgpu_core_granted(core, slots, 4), 2);
  assert_int_equal(slots[0], second);
  assert_int_equal(slots[1], third);
  schedgpu_core_destroy(core);
}

static void resume_continues_the_wait(void **state) {
  (void)state;
  schedgpu_core *core = new_core();
  uint64_t a[3], b[3];
  int first = schedgpu_core_enter(core, 1, 50, 1, 8 * GIB, 1, a);
  int second = schedgpu_core_enter(core, 2, 50, 3, 3 * GIB, 2, b);
  assert_int_equal(schedgpu_core_leave(core, (uint32_t)first, 1, 3), SCHEDGPU_OK);
  for (int rounds = 0; b[SCHEDGPU_CORE_TICKET] != 0 && rounds < 4; rounds++)
    assert_int_equal(schedgpu_core_resume(core, (uint32_t)second, 4, b), SCHEDGPU_OK);
  assert_int_equal(b[SCHEDGPU_CORE_STEP], 4);
  for (uint32_t d = 0; d < 2; d++)
    assert_int_equal(sg_free(&core->region.device[d]), 7 * GIB - CONTEXT);
  schedgpu_core_destroy(core);
}

static void a_job_that_can_never_fit_leaves_nothing(void **state) {
  (void)state;
  schedgpu_core *core = new_core();
  uint64_t progress[3];
  char text[200];
  assert_true(schedgpu_core_enter(core, 1, 50, 1, 11 * GIB, 1, progress) < 0);
  assert_int_equal(sg_free(&core->region.device[0]), 10 * GIB);
  assert_int_equal(schedgpu_core_leave(core, 0, 1, 2), SCHEDGPU_ENOJOB);
  assert_int_equal(schedgpu_core_check(core, text, sizeof text), SCHEDGPU_OK);
  schedgpu_core_destroy(core);
}

/** The memory of a core that was destroyed may serve the next one. */
static void a_new_core_has_nothing_of_one_that_was_destroyed(void **state) {
  (void)state;
  schedgpu_core *core = new_core();
  uint64_t progress[3];
  char broken[256];
  assert_int_equal(schedgpu_core_enter(core, 7, 50, 3, 4 * GIB, 1, progress), 0);
  schedgpu_core_destroy(core);
  core = new_core();
  assert_int_equal(schedgpu_core_job_end(core, 7, 1), SCHEDGPU_ENOJOB);
  assert_int_equal(schedgpu_core_check(core, broken, sizeof broken), SCHEDGPU_OK);
  for (uint32_t d = 0; d < 2; d++)
    assert_int_equal(sg_free(&core->region.device[d]), 10 * GIB);
  schedgpu_core_destroy(core);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(enter_takes_a_context_and_memory_on_each_device),
      cmocka_unit_test(leave_grants_those_that_wait_in_their_order),
      cmocka_unit_test(resume_continues_the_wait),
      cmocka_unit_test(a_job_that_can_never_fit_leaves_nothing),
      cmocka_unit_test(a_new_core_has_nothing_of_one_that_was_destroyed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* job_options_test.c - the table of a job's options: each text is read once, by its type. */
#include "../conf/conf_testing.h"
#include "../../conf/conf_keys.h"
#include "schedgpu/job_options.h"

static struct sg_job_options options;
static char error[512];

static int take(enum sg_option option, const char *text) {
  return sg_option_take(&options, option, text, error, sizeof error);
}

static int set_up(void **state) {
  (void)state;
  memset(&options, 0, sizeof options);
  return 0;
}

static void each_type_has_its_value(void **state) {
  static const struct {
    enum sg_option option;
    const char *text;
    struct sg_value value;
  } taken[] = {
      {SG_OPTION_mem, "6G", {SG_VALUE_BYTES, {6 * GIB}}},
      {SG_OPTION_mem, "40%", {SG_VALUE_PERCENT, {40}}},
      {SG_OPTION_persistent, "1", {SG_VALUE_BYTES, {1 << 20}}},
      {SG_OPTION_priority, "high", {SG_VALUE_NUMBER, {90}}},
      {SG_OPTION_priority, "0", {SG_VALUE_NUMBER, {0}}},
      {SG_OPTION_mode, "Gate", {SG_VALUE_WORD, {SCHEDGPU_MODE_GATE}}},
      {SG_OPTION_wait, "forever", {SG_VALUE_NS, {.ns = SCHEDGPU_FOREVER}}},
      {SG_OPTION_length, "2h", {SG_VALUE_NS, {.ns = 7200 * SECOND_NS}}},
      {SG_OPTION_processes, "1024", {SG_VALUE_NUMBER, {1024}}},
      {SG_OPTION_overflow, "fail", {SG_VALUE_WORD, {0}}},
      {SG_OPTION_overflow, "WAIT", {SG_VALUE_WORD, {1}}},
      {SG_OPTION_lane, "none", {SG_VALUE_WORD, {SCHEDGPU_LANE_NONE}}},
      {SG_OPTION_lane, "srtf", {SG_VALUE_WORD, {SCHEDGPU_LANE_SRTF}}},
      {SG_OPTION_share, "none", {SG_VALUE_NUMBER, {0}}},
      {SG_OPTION_share, "1000", {SG_VALUE_NUMBER, {1000}}},
  };
  (void)state;
  for (size_t i = 0; i < sizeof taken / sizeof *taken; i++) {
    assert_int_equal(take(taken[i].option, taken[i].text), SCHEDGPU_OK);
    struct sg_value value = sg_option_value(&options, taken[i].option);
    assert_int_equal(value.kind, taken[i].value.kind);
    assert_true(value.number == taken[i].value.number);
    assert_string_equal(sg_option_text(&options, taken[i].option), taken[i].text);
  }
}

static void a_text_that_was_taken_is_not_read_again(void **state) {
  (void)state;
  assert_int_equal(take(SG_OPTION_mem, "6G"), SCHEDGPU_OK);
  strcpy(options.mem, "x");
  assert_true(sg_option_number(&options, SG_OPTION_mem) == 6 * GIB);
  assert_int_equal(sg_options_check(&options, error, sizeof error), SCHEDGPU_OK);
}

static void a_wrong_text_changes_nothing(void **state) {
  (void)state;
  assert_int_equal(take(SG_OPTION_mem, "6G"), SCHEDGPU_OK);
  assert_int_equal(take(SG_OPTION_mem, "0%"), SCHEDGPU_EINVAL);
  assert_int_equal(take(SG_OPTION_mem, "101%"), SCHEDGPU_EINVAL);
  assert_string_equal(options.mem, "6G");
  assert_true(sg_option_number(&options, SG_OPTION_mem) == 6 * GIB);
}

/** A text that no door took, as tests write it, is read where it is needed. */
static void a_text_that_was_not_taken_is_read_when_asked(void **state) {
  (void)state;
  assert_int_equal(sg_option_value(&options, SG_OPTION_lane).kind, SG_VALUE_NONE);
  strcpy(options.lane, "pack");
  assert_int_equal(sg_option_number(&options, SG_OPTION_lane), SCHEDGPU_LANE_PACK);
  strcpy(options.lane, "share");
  assert_int_equal(sg_option_value(&options, SG_OPTION_lane).kind, SG_VALUE_NONE);
}

static bool is_key(const char *name) {
  for (int k = 0; k < SG_CONF_KEYS; k++)
    if (strcmp(sg_conf_keys[k].name, name) == 0)
      return true;
  return !name[0];
}

static void every_option_has_names_and_a_help(void **state) {
  char name[SG_OPTION_SIZE];
  (void)state;
  for (enum sg_option o = 0; o < SG_OPTIONS; o++) {
    const struct sg_option_row *row = &sg_option_rows[o];
    assert_true(row->of_slurm || row->of_run);
    assert_non_null(row->value_name);
    assert_true(is_key(row->by_default) && is_key(row->limit));
    assert_int_equal(strlen(sg_option_variable(o, name)), strlen("SCHEDGPU_") + strlen(row->name));
    if (row->alone)
      assert_int_equal(take(o, row->alone), SCHEDGPU_OK);
  }
  assert_string_equal(sg_option_variable(SG_OPTION_mem, name), "SCHEDGPU_MEM");
}

/** The row of each option sees its own field, and no row that of another. */
static void a_step_is_compared_by_its_options(void **state) {
  static const struct {
    enum sg_option option;
    struct schedgpu_job_spec step;
  } differs[] = {
      {SG_OPTION_mem, {.device_mask = 3, .budget_bytes = {1, 2}}},
      {SG_OPTION_priority, {.device_mask = 1, .priority = 1}},
      {SG_OPTION_mode, {.device_mask = 1, .mode = SCHEDGPU_MODE_GATE}},
      {SG_OPTION_wait, {.device_mask = 1, .wait_ns = 1}},
      {SG_OPTION_processes, {.device_mask = 1, .processes = 2}},
      {SG_OPTION_overflow, {.device_mask = 1, .flags = SCHEDGPU_JOB_FLAG_OVERFLOW_WAITS}},
      {SG_OPTION_lane, {.device_mask = 1, .lane = SCHEDGPU_LANE_FAIR}},
      {SG_OPTION_persistent, {.device_mask = 1, .persistent_bytes = 1}},
      {SG_OPTION_share, {.device_mask = 1, .share = 2}},
  };
  const struct schedgpu_job_spec job = {.device_mask = 1};
  (void)state;
  for (size_t i = 0; i < sizeof differs / sizeof *differs; i++)
    for (enum sg_option o = 0; o < SG_OPTIONS; o++)
      assert_int_equal(sg_option_rows[o].same(&job, &differs[i].step), o != differs[i].option);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(each_type_has_its_value, set_up),
      cmocka_unit_test_setup(a_text_that_was_taken_is_not_read_again, set_up),
      cmocka_unit_test_setup(a_wrong_text_changes_nothing, set_up),
      cmocka_unit_test_setup(a_text_that_was_not_taken_is_read_when_asked, set_up),
      cmocka_unit_test_setup(a_step_is_compared_by_its_options, set_up),
      cmocka_unit_test_setup(every_option_has_names_and_a_help, set_up),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * run_decision_test.c - the job of `schedgpu run`: decided as by the prolog, with messages in the
 * words of the command.
 */
#include "../conf/conf_testing.h"
#include "../../node/run_decision.h"

static struct schedgpu_job_spec spec;
static char error[4096];

/** It must not become another value. */
static void a_text_that_is_too_long_is_refused(void **state) {
  struct sg_job_options options = {.of_run = true, .mem = "1G"};
  (void)state;
  assert_int_equal(sg_option_take(&options, SG_OPTION_mem, "0000000000000000000000000000001G",
                                  error, sizeof error),
                   SCHEDGPU_EINVAL);
  assert_non_null(strstr(error, "--mem=(too long): must be a size"));
  assert_string_equal(options.mem, "1G");
}

/** What earlier runs needed, in GiB, and whether the budget was learned from it. */
static uint64_t known;
static bool learned;

/** On a node with a device of 16 GiB and one of 4, of which contexts take 1 GiB each. */
static int decide(const char *text, struct sg_job_options options) {
  static struct sg_conf conf;
  struct schedgpu_setup there = {.device_count = 2};
  for (uint32_t d = 0; d < 2; d++)
    there.device[d] = (struct schedgpu_device_spec){
        .index = d, .total_bytes = (d ? 4 : 16) * GIB, .context_bytes = GIB};
  assert_int_equal(sg_conf_read(file_with(text), &conf, error, sizeof error), SCHEDGPU_OK);
  options.of_run = true;
  return sg_run_decide(&conf, &there, &options, 1000, known * GIB, &spec, &learned, error,
                       sizeof error);
}

static void expect_refused(int code, const char *conf, struct sg_job_options wish,
                           const char *message) {
  assert_int_equal(decide(conf, wish), code);
  if (strncmp(error, message, strlen(message)) != 0)
    print_error("%s\n", error);
  assert_memory_equal(error, message, strlen(message));
}

static void without_options_there_is_no_budget(void **state) {
  (void)state;
  assert_int_equal(decide("", (struct sg_job_options){.job_name = "train"}), SCHEDGPU_OK);
  assert_int_equal(spec.mode, SCHEDGPU_MODE_ONDEMAND);
  assert_int_equal(spec.kind, SCHEDGPU_JOB_RUN);
  assert_int_equal(spec.device_mask, 3);
  assert_int_equal(spec.uid, 1000);
  assert_string_equal(spec.name, "train");
  assert_true(spec.budget_bytes[0] == 0 && spec.wait_ns == SCHEDGPU_FOREVER);
}

static void options_are_taken(void **state) {
  struct sg_job_options wish = {.mem = "2G",
                                .priority = "low",
                                .mode = "Gate",
                                .wait = "5m",
                                .processes = "2",
                                .job_name = "t"};
  (void)state;
  assert_int_equal(decide("MaxMem=50%", wish), SCHEDGPU_OK);
  assert_true(spec.budget_bytes[0] == 2 * GIB && spec.budget_bytes[1] == 2 * GIB);
  assert_int_equal(spec.priority, 10);
  assert_int_equal(spec.mode, SCHEDGPU_MODE_GATE);
  assert_int_equal(spec.processes, 2);
  assert_true(spec.wait_ns == 300 * SECOND_NS);
}

/** The reserves of the region include the margin, which must not count twice. */
static void the_margin_counts_once(void **state) {
  (void)state;
  assert_int_equal(decide("SafetyMargin=50%", (struct sg_job_options){.mem = "3G"}), SCHEDGPU_OK);
}

static void limits_are_applied_and_reported(void **state) {
  (void)state;
  assert_int_equal(decide("MaxPriority=60", (struct sg_job_options){.priority = "61"}),
                   SCHEDGPU_OK);
  assert_int_equal(spec.priority, 60);
  assert_int_equal(
      decide("MaxPriority=60\nHighPriorityUsers=1000", (struct sg_job_options){.priority = "61"}),
      SCHEDGPU_OK);
  assert_int_equal(spec.priority, 61);
  expect_refused(SCHEDGPU_ETOOBIG, "MaxMem=2G", (struct sg_job_options){.mem = "3G"},
                 "--mem=3G is more than MaxMem=2G of this site allows on device 0");
  expect_refused(SCHEDGPU_ETOOBIG, "", (struct sg_job_options){.mem = "4G"},
                 "--mem=4G is more than device 1 can give a job: 3.0 GiB");
  expect_refused(SCHEDGPU_ETOOBIG, "", (struct sg_job_options){.processes = "5"},
                 "--processes=5 is more than device 1 has room for");
  assert_int_equal(decide("DefaultMem=100%", (struct sg_job_options){0}), SCHEDGPU_OK);
  assert_true(spec.budget_bytes[0] == 15 * GIB && spec.budget_bytes[1] == 3 * GIB);
  expect_refused(SCHEDGPU_ETOOBIG, "DefaultMem=60%\nMaxMem=50%", (struct sg_job_options){0},
                 "DefaultMem=60% is more than MaxMem=50% of this site allows on device 0");
}

static void wrong_options_are_named_as_they_were_written(void **state) {
  static const struct {
    struct sg_job_options wish;
    const char *message;
  } wrong[] = {
      {{.mem = "0"}, "--mem=0: must be a size"},
      {{.priority = "top"}, "--priority=top: must be low, normal, high or 0 to 100"},
      {{.mode = "all"}, "--mode=all: must be peak, ondemand or gate"},
      {{.wait = "soon"}, "--wait=soon: must be a time"},
      {{.processes = "1025"}, "--processes=1025: must be a number from 1 to 1024"},
      {{.overflow = "no"}, "--overflow=no: must be fail or wait"},
      {{.mode = "gate"}, "--mode=gate needs a budget: add --mem"},
      {{.overflow = "wait"}, "--overflow=wait needs a budget: add --mem"},
      {{.mem = "1G", .mode = "gate", .overflow = "wait"}, "--overflow=wait is for mode peak only"},
  };
  (void)state;
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    expect_refused(SCHEDGPU_EINVAL, "", wrong[i].wish, wrong[i].message);
}

static bool learns(const char *conf, struct sg_job_options wish) {
  assert_int_equal(decide(conf, wish), SCHEDGPU_OK);
  return learned;
}

static void earlier_runs_are_the_default_if_possible(void **state) {
  (void)state;
  const struct sg_job_options train = {.job_name = "train"};
  known = 2;
  assert_true(learns("DefaultMem=learned,1G", train));
  assert_true(spec.budget_bytes[0] == 2 * GIB && spec.budget_bytes[1] == 2 * GIB);
  assert_int_equal(spec.mode, SCHEDGPU_MODE_PEAK);
  /* a budget that is too small must not end the job */
  assert_true(spec.flags & SCHEDGPU_JOB_FLAG_OVERFLOW_WAITS);
  assert_true(
      learns("DefaultMem=learned", (struct sg_job_options){.job_name = "t", .mode = "peak"}));
  assert_true(
      learns("DefaultMem=learned", (struct sg_job_options){.job_name = "t", .overflow = "wait"}));
  assert_false(learns("DefaultMem=1G", train));
  assert_false(learns("DefaultMem=learned", (struct sg_job_options){.job_name = "t", .mem = "3G"}));
  assert_false(
      learns("DefaultMem=learned", (struct sg_job_options){.job_name = "t", .mode = "ondemand"}));
  assert_false(
      learns("DefaultMem=learned,1G", (struct sg_job_options){.job_name = "t", .mode = "gate"}));
  assert_false(
      learns("DefaultMem=learned", (struct sg_job_options){.job_name = "t", .overflow = "fail"}));
  assert_false(learns("DefaultMem=learned", (struct sg_job_options){.job_name = ""}));
}

static void a_default_is_lowered_to_the_limit(void **state) {
  (void)state;
  known = 9;
  assert_true(learns("DefaultMem=learned\nMaxMem=50%", (struct sg_job_options){.job_name = "t"}));
  assert_true(spec.budget_bytes[0] == 8 * GIB && spec.budget_bytes[1] == 2 * GIB);
  assert_true(
      learns("DefaultMem=learned", (struct sg_job_options){.job_name = "t", .processes = "2"}));
  assert_true(spec.budget_bytes[0] == 9 * GIB && spec.budget_bytes[1] == 2 * GIB);
  expect_refused(SCHEDGPU_ETOOBIG, "DefaultMem=learned",
                 (struct sg_job_options){.job_name = "t", .processes = "4"},
                 "DefaultMem=learned is more than device 1 can give a job");
}

static void an_unknown_command_gets_the_fallback_budget(void **state) {
  (void)state;
  known = 0;
  assert_false(learns("DefaultMem=learned,1G", (struct sg_job_options){.job_name = "train"}));
  assert_true(spec.budget_bytes[0] == GIB && spec.budget_bytes[1] == GIB);
  assert_false(spec.flags & SCHEDGPU_JOB_FLAG_OVERFLOW_WAITS);
  assert_false(learns("DefaultMem=learned", (struct sg_job_options){.job_name = "train"}));
  assert_true(spec.budget_bytes[0] == 0);
  assert_int_equal(spec.mode, SCHEDGPU_MODE_ONDEMAND);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(without_options_there_is_no_budget),
      cmocka_unit_test(options_are_taken),
      cmocka_unit_test(the_margin_counts_once),
      cmocka_unit_test(limits_are_applied_and_reported),
      cmocka_unit_test(wrong_options_are_named_as_they_were_written),
      cmocka_unit_test(a_text_that_is_too_long_is_refused),
      cmocka_unit_test(earlier_runs_are_the_default_if_possible),
      cmocka_unit_test(a_default_is_lowered_to_the_limit),
      cmocka_unit_test(an_unknown_command_gets_the_fallback_budget),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* lane_test.c - what a lane job gets by its options. One device of 16 GiB and one of 8 GiB. */
#include "../../node/lane.h"
#include "../conf/conf_testing.h"
#include "schedgpu/conf_text.h"

static struct sg_conf conf;
static struct sg_conf_devices devices;
static struct sg_job_options options;
static struct schedgpu_job_spec spec;
static char notice[512], error[1024];

static int set_up(void **state) {
  (void)state;
  sg_conf_defaults(&conf);
  options = (struct sg_job_options){.mem = "6G", .lane = "fair"};
  devices.count = 0;
  add_device(&devices, 0, 16 * GIB, 0, 4);
  add_device(&devices, 1, 8 * GIB, 4, 4);
  return 0;
}

static int decide(const char *gpus) {
  uint16_t index[16];
  int count = sg_parse_index_list(gpus, index, 16);
  return sg_decide_job(&conf, &devices, &options, 42, getuid(), index, (uint32_t)count, &spec,
                       notice, sizeof notice, error, sizeof error);
}

static void expect_message(const char *message) {
  if (!strstr(error, message))
    print_error("'%s' is not in: %s\n", message, error);
  assert_non_null(strstr(error, message));
}

static void expect_refused(const char *gpus, const char *message) {
  assert_int_equal(decide(gpus), SCHEDGPU_EINVAL);
  expect_message(message);
}

static void expect_refused_at_submit(const char *message) {
  int rc = sg_options_check(&options, error, sizeof error);
  if (rc == SCHEDGPU_OK)
    rc = sg_lane_check_together(&options, error, sizeof error);
  assert_int_equal(rc, SCHEDGPU_EINVAL);
  expect_message(message);
}

static void a_lane_job_has_its_policy_and_sizes(void **state) {
  (void)state;
  strcpy(options.lane, "SRTF");
  strcpy(options.persistent, "100M");
  strcpy(options.length, "2h");
  options.limit_ns = 1;
  assert_int_equal(decide("1"), 0);
  assert_int_equal(spec.mode, SCHEDGPU_MODE_PEAK);
  assert_int_equal(spec.lane, SCHEDGPU_LANE_SRTF);
  assert_true(spec.budget_bytes[0] == 6 * GIB);
  assert_true(spec.persistent_bytes == 100 << 20);
  assert_true(spec.length_ns == INT64_C(7200000000000));
  assert_int_equal(spec.share, 0);
  assert_int_equal(spec.flags, 0);
}

static void without_the_option_there_is_no_lane(void **state) {
  (void)state;
  options.lane[0] = '\0';
  options.limit_ns = 1;
  assert_int_equal(decide("1"), 0);
  assert_int_equal(spec.lane, SCHEDGPU_LANE_NONE);
  assert_true(spec.length_ns == 0); /* the core would refuse it */
}

static void every_policy_has_its_name(void **state) {
  (void)state;
  for (uint32_t policy = 1; policy < SCHEDGPU_LANE_SHARE; policy++) {
    strcpy(options.lane, schedgpu_lane_policy_name(policy));
    assert_int_equal(decide("1"), 0);
    assert_int_equal(spec.lane, policy);
  }
  strcpy(options.lane, "share"); /* --schedgpu-share has a weight */
  expect_refused_at_submit("--schedgpu-lane=share: must be fair, pack, srtf, fifo or none");
  strcpy(options.lane, "quick");
  expect_refused_at_submit("--schedgpu-lane=quick: must be fair, pack, srtf, fifo or none");
  options.of_run = true;
  expect_refused("1", "--lane=quick: must be");
}

static void none_overrides_what_was_inherited(void **state) {
  (void)state;
  strcpy(options.lane, "none");
  strcpy(options.persistent, "1G");
  strcpy(options.length, "1h");
  strcpy(options.mode, "gate");
  assert_int_equal(decide("1"), 0);
  assert_int_equal(spec.lane, SCHEDGPU_LANE_NONE);
  assert_true(spec.persistent_bytes == 0 && spec.length_ns == 0);
}

static void a_lane_needs_a_budget(void **state) {
  (void)state;
  options.mem[0] = '\0';
  expect_refused("1", "--schedgpu-lane=fair needs a budget: add --schedgpu-mem");
  strcpy(conf.default_mem, "25%");
  assert_int_equal(decide("1"), 0);
  assert_true(spec.budget_bytes[0] == 4 * GIB);
}

/* A learned budget grows in the queue, which that of a lane job cannot. */
static void a_lane_has_no_learned_budget(void **state) {
  (void)state;
  conf.learned_mem = true;
  options.mem[0] = '\0';
  strcpy(options.job_name, "train");
  bool learned;
  expect_refused("1", "--schedgpu-lane=fair needs a budget");
  assert_int_equal(sg_decide_run(&conf, &devices, &options, getuid(), GIB, &spec, &learned, notice,
                                 sizeof notice, error, sizeof error),
                   SCHEDGPU_EINVAL);
  assert_false(learned);
}

static void other_modes_have_no_lane(void **state) {
  (void)state;
  strcpy(options.mode, "gate");
  expect_refused_at_submit(
      "--schedgpu-lane=fair is for mode peak only: leave out that or --schedgpu-mode=gate");
  strcpy(options.mode, "ondemand");
  expect_refused("1", "leave out that or --schedgpu-mode=ondemand");
  strcpy(options.mode, "peak");
  assert_int_equal(decide("1"), 0);
}

static void the_budget_of_a_lane_job_cannot_grow(void **state) {
  (void)state;
  strcpy(options.overflow, "wait");
  expect_refused_at_submit("--schedgpu-lane=fair: the budget of a lane job cannot grow: leave out "
                           "that or --schedgpu-overflow=wait");
  strcpy(options.overflow, "fail");
  assert_int_equal(decide("1"), 0);
  options.overflow[0] = '\0';
  conf.overflow_waits = true; /* the site's default is for other jobs */
  assert_int_equal(decide("1"), 0);
  assert_int_equal(spec.flags, 0);
}

static void a_lane_has_one_device(void **state) {
  (void)state;
  expect_refused("1,5", "--schedgpu-lane=fair is for jobs with one device, and this one has 2: ask "
                        "for one (--gres=gpu:1), or leave --schedgpu-lane out");
  assert_int_equal(decide("1,2"), 0); /* two shares of one device */
  assert_int_equal(spec.device_mask, 1);
}

/** On two nodes, each of two jobs could have the turn of one node and wait for the other. */
static void a_lane_is_for_jobs_on_one_node(void **state) {
  (void)state;
  sg_lane_take_nodes(&options, "1");
  assert_int_equal(decide("1"), 0);
  sg_lane_take_nodes(&options, "2");
  sg_lane_take_nodes(&options, "1"); /* of a step: the job has more */
  sg_lane_take_nodes(&options, NULL);
  sg_lane_take_nodes(&options, "many");
  expect_refused("1", "--schedgpu-lane=fair is for jobs on one node, and this one has 2: two such "
                      "jobs could wait for each other, each with a turn on one node: ask for "
                      "--nodes=1, or leave --schedgpu-lane out");
  options.lane[0] = '\0';
  assert_int_equal(decide("1"), 0);
}

static void persistent_memory_is_part_of_the_budget(void **state) {
  (void)state;
  strcpy(options.persistent, "6G");
  assert_int_equal(decide("1"), 0);
  strcpy(options.persistent, "6145M");
  expect_refused_at_submit("--schedgpu-persistent=6145M is more than the budget 6G: it is the part "
                           "of the budget that the job keeps between iterations: lower it, or "
                           "raise --schedgpu-mem");
  strcpy(options.persistent, "50%"); /* 8 GiB here; at submit the device is not known */
  assert_int_equal(sg_lane_check_together(&options, error, sizeof error), 0);
  expect_refused("1", "--schedgpu-persistent=50% is more than the budget 6.0 GiB");
  assert_int_equal(decide("5"), 0); /* 4 GiB there */
  assert_true(spec.persistent_bytes == 4 * GIB);
}

static void wrong_sizes_and_times_are_refused_at_submit(void **state) {
  (void)state;
  strcpy(options.persistent, "0");
  expect_refused_at_submit("--schedgpu-persistent=0: must be a size");
  strcpy(options.persistent, "1G");
  strcpy(options.length, "soon");
  expect_refused_at_submit("--schedgpu-length=soon: must be a time");
  strcpy(options.length, "0");
  expect_refused_at_submit("--schedgpu-length=0: must be a time");
  strcpy(options.length, "forever");
  expect_refused_at_submit("--schedgpu-length=forever: must be a time");
}

static void options_of_a_lane_need_one(void **state) {
  (void)state;
  options.lane[0] = '\0';
  strcpy(options.length, "1h");
  expect_refused_at_submit(
      "--schedgpu-length=1h is for jobs with a lane: add --schedgpu-lane, or leave it out");
  strcpy(options.persistent, "1G");
  expect_refused("1", "--schedgpu-persistent=1G is for jobs with a lane");
}

static void the_site_may_have_no_lanes(void **state) {
  (void)state;
  conf.lanes = false;
  expect_refused("1", "--schedgpu-lane=fair: this site has no lanes (Lanes=no): leave it out");
  options.lane[0] = '\0';
  assert_int_equal(decide("1"), 0);
  strcpy(options.lane, "pack");
  conf.lanes = conf.brokered = true;
  expect_refused("1", "--schedgpu-lane=pack: this site has Mode=brokered, which has no lanes");
}

static void the_length_is_slurms_limit_by_default(void **state) {
  (void)state;
  sg_lane_take_limit(&options, "1700000000", "1700003600");
  assert_int_equal(decide("1"), 0);
  assert_true(spec.length_ns == INT64_C(3600000000000));
  strcpy(options.length, "5m");
  assert_int_equal(decide("1"), 0);
  assert_true(spec.length_ns == INT64_C(300000000000));
}

static void use_share(const char *weight) {
  options.lane[0] = '\0';
  strcpy(options.share, weight);
}

/** All of its memory is persistent: it has it between its turns, too. */
static void a_job_with_a_share_keeps_its_budget(void **state) {
  char text[SG_WEIGHT_TEXT];
  (void)state;
  use_share("4");
  options.limit_ns = 1; /* a length is for srtf */
  assert_int_equal(decide("1"), 0);
  assert_int_equal(spec.lane, SCHEDGPU_LANE_SHARE);
  assert_int_equal(spec.share, 4);
  assert_true(spec.persistent_bytes == 6 * GIB && spec.length_ns == 0);
  assert_null(sg_lane_text(&spec)); /* it marks no iterations */
  assert_string_equal(sg_weight_text(sg_weight_of(&spec), text), "4");
}

static void a_share_is_a_weight_in_a_named_lane(void **state) {
  char text[SG_WEIGHT_TEXT];
  (void)state;
  strcpy(options.share, "3");
  assert_int_equal(decide("1"), 0);
  assert_int_equal(spec.lane, SCHEDGPU_LANE_FAIR);
  assert_int_equal(spec.share, 3);
  assert_true(spec.persistent_bytes == 0);
  assert_string_equal(sg_lane_text(&spec), "fair");
  assert_null(sg_weight_text(sg_weight_of(&spec), text));
}

static void wrong_shares_are_refused_at_submit(void **state) {
  static const char *const wrong[] = {"0", "1001", "-1", "half", "1.5", "50%", "4294967297"};
  char message[100];
  (void)state;
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    use_share(wrong[i]);
    snprintf(message, sizeof message,
             "--schedgpu-share=%s: must be a weight from 1 to 1000, or none", wrong[i]);
    expect_refused_at_submit(message);
  }
  use_share("none");
  assert_int_equal(decide("1"), 0);
  assert_int_equal(spec.lane, SCHEDGPU_LANE_NONE);
  assert_int_equal(spec.share, 0);
}

static void a_share_has_the_limits_of_a_lane(void **state) {
  (void)state;
  use_share("2");
  expect_refused("1,5", "--schedgpu-share=2 is for jobs with one device, and this one has 2: ask "
                        "for one (--gres=gpu:1), or leave --schedgpu-share out");
  strcpy(options.mode, "ondemand");
  expect_refused_at_submit("--schedgpu-share=2 is for mode peak only");
  options.mode[0] = '\0';
  strcpy(options.persistent, "1G");
  expect_refused_at_submit("--schedgpu-persistent=1G is for jobs with a lane");
  options.persistent[0] = '\0';
  conf.lanes = false;
  expect_refused("1", "--schedgpu-share=2: this site has no lanes (Lanes=no)");
  conf.lanes = conf.brokered = true;
  assert_int_equal(decide("1"), 0);
}

static void the_site_limits_shares(void **state) {
  (void)state;
  conf.max_share = 4;
  use_share("4");
  assert_int_equal(decide("1"), 0);
  use_share("5");
  expect_refused("1", "--schedgpu-share=5 is above this site's MaxShare=4: lower it");
}

static void a_limit_that_slurm_does_not_say_is_unknown(void **state) {
  static const char *const wrong[][2] = {
      {NULL, NULL}, {"1", NULL}, {"", "5"},   {"5", "5"},
      {"7", "5"},   {"1x", "5"}, {"-1", "5"}, {"1700000000", "1731536000"}}; /* no limit: a year */
  (void)state;
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    sg_lane_take_limit(&options, wrong[i][0], wrong[i][1]);
  assert_true(options.limit_ns == 0);
}

/** The agent's table of what earlier runs kept, for user 42 and the jobs of this process. */
static void write_kept(uint64_t bytes) {
  const uint32_t uid[] = {42, getuid()};
  const uint64_t kept[] = {7 * GIB, bytes};
  strcpy(conf.run_dir, "/tmp/schedgpu-test-XXXXXX");
  assert_non_null(mkdtemp(conf.run_dir));
  assert_int_equal(schedgpu_learned_write(conf.run_dir, SCHEDGPU_LEARNED_PERSISTENT, uid, kept,
                                          "train\0train", 2, error, sizeof error),
                   0);
}

static void remove_kept(void) {
  char path[PATH_MAX + 32];
  snprintf(path, sizeof path, "%s/learned.persistent", conf.run_dir);
  assert_int_equal(unlink(path), 0);
  assert_int_equal(rmdir(conf.run_dir), 0);
}

static void persistent_memory_is_what_earlier_runs_kept(void **state) {
  (void)state;
  write_kept(700 << 20);
  assert_int_equal(decide("1"), 0);
  assert_true(spec.persistent_bytes == 0); /* a job without a name */
  strcpy(options.job_name, "train");
  assert_int_equal(decide("1"), 0);
  assert_true(spec.persistent_bytes == 700 << 20);
  strcpy(options.job_name, "other");
  assert_int_equal(decide("1"), 0);
  assert_true(spec.persistent_bytes == 0);
  remove_kept();
}

static void a_declared_size_goes_before_a_learned_one(void **state) {
  (void)state;
  write_kept(700 << 20);
  strcpy(options.job_name, "train");
  strcpy(options.persistent, "100M");
  assert_int_equal(decide("1"), 0);
  assert_true(spec.persistent_bytes == 100 << 20);
  remove_kept();
}

/** A smaller budget than in earlier runs: all of it is persistent, and the job is not refused. */
static void a_learned_size_is_at_most_the_budget(void **state) {
  (void)state;
  write_kept(20 * GIB);
  strcpy(options.job_name, "train");
  assert_int_equal(decide("1"), 0);
  assert_true(spec.persistent_bytes == 6 * GIB);
  remove_kept();
}

static void only_lane_jobs_have_learned_persistent_memory(void **state) {
  (void)state;
  write_kept(700 << 20);
  strcpy(options.job_name, "train");
  options.lane[0] = '\0';
  assert_int_equal(decide("1"), 0);
  assert_true(spec.persistent_bytes == 0);
  remove_kept();
}

int main(void) {
#define UNIT(test) cmocka_unit_test_setup(test, set_up)
  const struct CMUnitTest tests[] = {
      UNIT(a_lane_job_has_its_policy_and_sizes),
      UNIT(without_the_option_there_is_no_lane),
      UNIT(every_policy_has_its_name),
      UNIT(none_overrides_what_was_inherited),
      UNIT(a_lane_needs_a_budget),
      UNIT(a_lane_has_no_learned_budget),
      UNIT(other_modes_have_no_lane),
      UNIT(the_budget_of_a_lane_job_cannot_grow),
      UNIT(a_lane_has_one_device),
      UNIT(a_lane_is_for_jobs_on_one_node),
      UNIT(persistent_memory_is_part_of_the_budget),
      UNIT(wrong_sizes_and_times_are_refused_at_submit),
      UNIT(options_of_a_lane_need_one),
      UNIT(the_site_may_have_no_lanes),
      UNIT(the_length_is_slurms_limit_by_default),
      UNIT(a_job_with_a_share_keeps_its_budget),
      UNIT(a_share_is_a_weight_in_a_named_lane),
      UNIT(wrong_shares_are_refused_at_submit),
      UNIT(a_share_has_the_limits_of_a_lane),
      UNIT(the_site_limits_shares),
      UNIT(a_limit_that_slurm_does_not_say_is_unknown),
      UNIT(persistent_memory_is_what_earlier_runs_kept),
      UNIT(a_declared_size_goes_before_a_learned_one),
      UNIT(a_learned_size_is_at_most_the_budget),
      UNIT(only_lane_jobs_have_learned_persistent_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* end_hint_test.c - the hint at a job's end, and when there is none. */
#include "../../node/end_hint.h"
#include "../conf/conf_testing.h"
#include "schedgpu/admin.h"
#include "schedgpu/conf_text.h"

static char text[512];

/** The hint on a device that can give 15.75 GiB. */
static bool gives_hint_with(uint64_t asked_mib, uint64_t used_mib, uint64_t waited_ns,
                            uint32_t refusals, uint64_t refused_mib) {
  struct sg_end_use use = {.job = "slurm:4711",
                           .option = "--schedgpu-mem=",
                           .asked_bytes = asked_mib * MIB,
                           .used_bytes = used_mib * MIB,
                           .waited_ns = waited_ns,
                           .refusals = refusals,
                           .refused_bytes = refused_mib * MIB,
                           .grows = true,
                           .largest_bytes = 63 * 256 * MIB};
  return sg_end_hint_text(&use, text, sizeof text);
}

static bool gives_hint(uint64_t asked_mib, uint64_t used_mib) {
  return gives_hint_with(asked_mib, used_mib, 0, 0, 0);
}

static void too_large_a_budget_is_reported_with_a_sufficient_one(void **state) {
  (void)state;
  assert_true(gives_hint_with(6 * 1024, 2150, 12 * SECOND_NS + 1, 0, 0));
  assert_string_equal(text, "slurm:4711 used at most 2.1 GiB of 6.0 GiB asked on device 0, waited "
                            "12 s; --schedgpu-mem=2560M would do");
  assert_true(gives_hint(8192, 2700));
  assert_non_null(strstr(text, "asked on device 0; --schedgpu-mem=3G would do"));
}

static void too_small_a_budget_is_reported_if_the_job_had_to_wait(void **state) {
  (void)state;
  assert_true(gives_hint(900, 950));
  assert_string_equal(text, "slurm:4711 used at most 950 MiB of 900 MiB asked on device 0; "
                            "--schedgpu-mem=1280M would avoid the wait for more");
  assert_true(gives_hint(1024, 1500));
  assert_non_null(strstr(text, "--schedgpu-mem=1792M would avoid the wait for more"));
}

/** The same for a program that cannot mark them, or in which the module found none. */
static void a_lane_job_without_marks_is_told_so(void **state) {
  (void)state;
  struct sg_end_use use = {.job = "slurm:4711",
                           .option = "--schedgpu-mem=",
                           .asked_bytes = 2000 * MIB,
                           .used_bytes = 2000 * MIB,
                           .unmarked_s = 10,
                           .largest_bytes = 63 * 256 * MIB};
  assert_true(sg_end_hint_text(&use, text, sizeof text));
  assert_string_equal(text,
                      "slurm:4711 marked no end of an iteration: it kept the turn of its lane "
                      "on device 0 for 10 s, and others could only wait; mark the iterations, or "
                      "leave the lane out");
  use.unmarked_s--;
  assert_false(sg_end_hint_text(&use, text, sizeof text));
}

static bool gives_hint_at_silence(uint32_t kind, uint32_t mode, uint64_t budget_mib) {
  static const struct schedgpu_setup node = {.device_count = 1};
  struct schedgpu_job_spec job = {.kind = kind, .job_id = 42, .mode = mode, .device_mask = 1};
  struct schedgpu_job_use used = {.untouched = 1};
  job.budget_bytes[0] = budget_mib * MIB;
  return sg_end_hint_of(&node, &job, &used, text, sizeof text);
}

/** In mode gate none asks, and `schedgpu run` is for commands of all kinds. */
static void a_budget_that_no_program_asked_for_is_reported(void **state) {
  (void)state;
  assert_true(gives_hint_at_silence(SCHEDGPU_JOB_SLURM, SCHEDGPU_MODE_PEAK, 6144));
  assert_non_null(strstr(text, "slurm:42 had 6.0 GiB of device 0, and none of its programs asked"));
  assert_true(gives_hint_at_silence(SCHEDGPU_JOB_SLURM, SCHEDGPU_MODE_ONDEMAND, 6144));
  assert_false(gives_hint_at_silence(SCHEDGPU_JOB_SLURM, SCHEDGPU_MODE_ONDEMAND, 0));
  assert_false(gives_hint_at_silence(SCHEDGPU_JOB_SLURM, SCHEDGPU_MODE_GATE, 6144));
  assert_false(gives_hint_at_silence(SCHEDGPU_JOB_RUN, SCHEDGPU_MODE_PEAK, 6144));
}

static void a_suitable_budget_is_not_reported(void **state) {
  (void)state;
  assert_false(gives_hint(3000, 2000));
  assert_true(gives_hint(3001, 2000));
  assert_false(gives_hint(2000, 2000));
  assert_false(gives_hint(300, 10)); /* no suggestion is below 512 MiB */
}

/** Although the peak suggests a smaller budget: the job could not get more. */
static void refused_memory_is_reported_with_a_sufficient_budget(void **state) {
  (void)state;
  assert_true(gives_hint_with(6 * 1024, 2150, 12 * SECOND_NS + 1, 3, 5120));
  assert_string_equal(text, "slurm:4711 used at most 2.1 GiB of 6.0 GiB asked on device 0, waited "
                            "12 s, and 3 allocations were refused, the largest of 5.0 GiB; "
                            "--schedgpu-mem=8G or more would do");
  assert_true(gives_hint_with(2048, 2000, 0, 1, 3072));
  assert_non_null(strstr(text, "on device 0, and 1 allocation was refused, of 3.0 GiB; "
                               "--schedgpu-mem=5632M or more would do"));
  assert_true(gives_hint_with(2048, 0, 0, 1, 3072));
  assert_non_null(strstr(text, "; --schedgpu-mem=3584M or more would do"));
}

static void the_advice_is_at_most_what_the_device_can_give(void **state) {
  (void)state;
  assert_true(gives_hint_with(8192, 8000, 0, 1, 6661));
  assert_non_null(strstr(text, "would do"));
  assert_true(gives_hint_with(8192, 8000, 0, 1, 6662));
  assert_non_null(strstr(text, "of 6.5 GiB; --schedgpu-mem=16128M would do"));
  assert_true(gives_hint_with(8192, 8000, 0, 1, 8129));
  assert_non_null(strstr(text, "of 7.9 GiB; the device can give 15.8 GiB"));
  assert_true(gives_hint(14000, 15000));
  assert_non_null(strstr(text, "; --schedgpu-mem=16128M would"));
  assert_false(gives_hint(16128, 16200));
  assert_false(gives_hint_with(0, 2000, 0, 1, 1000));
}

static void without_a_budget_or_use_there_is_no_hint(void **state) {
  (void)state;
  assert_false(gives_hint(0, 2000));
  assert_false(gives_hint(6000, 0));
}

/** A job that used 2 of 6 GiB, in a region of its own. */
static schedgpu_admin *used_region(const char *run_dir) {
  struct schedgpu_setup s = {.device_count = 1};
  schedgpu_admin *admin;
  s.device[0].total_bytes = 10 * GIB;
  assert_int_equal(schedgpu_admin_setup(run_dir, &s), SCHEDGPU_OK);
  assert_int_equal(schedgpu_admin_open(run_dir, &admin), SCHEDGPU_OK);
  struct schedgpu_job_spec job = {.job_id = 4711,
                                  .kind = SCHEDGPU_JOB_SLURM,
                                  .uid = (uint32_t)getuid(),
                                  .priority = 50,
                                  .mode = SCHEDGPU_MODE_PEAK,
                                  .device_mask = 1,
                                  .processes = 1,
                                  .wait_ns = SCHEDGPU_FOREVER};
  job.budget_bytes[0] = 6 * GIB;
  assert_int_equal(schedgpu_admin_job_begin(admin, &job), SCHEDGPU_OK);
  setenv("SCHEDGPU_RUN_DIR", run_dir, 1);
  setenv("SCHEDGPU_JOB", "slurm:4711", 1);
  assert_int_equal(schedgpu_reserve(0, 2 * GIB, SCHEDGPU_NO_WAIT), SCHEDGPU_OK);
  assert_int_equal(schedgpu_detach(), SCHEDGPU_OK);
  return admin;
}

static void a_hint_that_takes_too_long_is_left_out(void **state) {
  (void)state;
  char run_dir[] = "/tmp/schedgpu-test-XXXXXX";
  assert_non_null(mkdtemp(run_dir));
  schedgpu_admin *admin = used_region(run_dir);
  assert_true(sg_end_hint_until(admin, SCHEDGPU_JOB_SLURM, 4711, UINT64_MAX / 2, text, 512));
  assert_non_null(strstr(text, "slurm:4711 used at most 2.0 GiB of 6.0 GiB asked on device 0; "
                               "--schedgpu-mem=2304M would do"));
  assert_true(sg_end_hint(admin, SCHEDGPU_JOB_SLURM, 4711, text, sizeof text));
  assert_false(sg_end_hint(admin, SCHEDGPU_JOB_RUN, 4711, text, sizeof text));
  assert_false(sg_end_hint_until(admin, SCHEDGPU_JOB_SLURM, 4711, 1, text, sizeof text));
  schedgpu_admin_close(admin);
  assert_int_equal(schedgpu_admin_remove(run_dir, 1), SCHEDGPU_OK);
  assert_int_equal(rmdir(run_dir), 0);
}

/** A CUDA context is not part of a budget, and reserved memory cannot be given. */
static void the_device_of_which_it_used_most_counts(void **state) {
  (void)state;
  struct schedgpu_setup devices = {.device_count = 2};
  struct schedgpu_job_spec job = {
      .job_id = 7, .kind = SCHEDGPU_JOB_RUN, .device_mask = 3, .budget_bytes = {6 * GIB, 6 * GIB}};
  struct schedgpu_job_use used = {.peak_bytes = {GIB, GIB + 1}};
  for (uint32_t d = 0; d < 2; d++)
    devices.device[d] = (struct schedgpu_device_spec){
        .index = d, .total_bytes = 8 * GIB, .reserved_bytes = GIB, .context_bytes = (2 - d) * GIB};
  assert_true(sg_end_hint_of(&devices, &job, &used, text, sizeof text));
  assert_string_equal(
      text, "run:7 used at most 1.0 GiB of 6.0 GiB asked on device 1; --mem 1536M would do");
  used.refusals = 1;
  used.refused_bytes = 5 * GIB;
  assert_true(sg_end_hint_of(&devices, &job, &used, text, sizeof text));
  assert_non_null(strstr(text, "; the device can give 6.0 GiB"));
  used = (struct schedgpu_job_use){.peak_bytes = {0, 7 * GIB}}; /* an overrun, and no wait */
  devices.device[1].total_bytes = 16 * GIB;
  assert_true(sg_end_hint_of(&devices, &job, &used, text, sizeof text));
  assert_non_null(strstr(text, "; --mem 7936M would do"));
}

/** Its peak has the memory of the lane, which is not persistent. */
static void a_job_that_shares_its_lane_is_told_what_it_keeps(void **state) {
  (void)state;
  struct schedgpu_setup devices = {.device_count = 1};
  struct schedgpu_job_spec job = {.job_id = 7,
                                  .kind = SCHEDGPU_JOB_SLURM,
                                  .device_mask = 1,
                                  .budget_bytes = {6 * GIB},
                                  .lane = SCHEDGPU_LANE_FAIR,
                                  .persistent_bytes = GIB};
  struct schedgpu_job_use used = {.peak_bytes = {5 * GIB}, .kept_bytes = GIB, .shares_lane = 1};
  assert_false(sg_end_hint_of(&devices, &job, &used, text, sizeof text));
  used.refusals = 1;
  used.refused_bytes = GIB;
  assert_true(sg_end_hint_of(&devices, &job, &used, text, sizeof text));
  assert_string_equal(text, "slurm:7 used at most 1.0 GiB of 1.0 GiB asked on device 0, and 1 "
                            "allocation was refused, of 1.0 GiB; --schedgpu-persistent=2304M or "
                            "more would do");
  job.kind = SCHEDGPU_JOB_RUN;
  assert_true(sg_end_hint_of(&devices, &job, &used, text, sizeof text));
  assert_non_null(strstr(text, "; --persistent 2304M or more would do"));
}

static void the_advice_can_be_typed_as_an_option(void **state) {
  char typed[24];
  (void)state;
  assert_string_equal(schedgpu_type_bytes(schedgpu_suggested_budget(0), typed), "256M");
  assert_string_equal(schedgpu_type_bytes(schedgpu_suggested_budget(2 * GIB), typed), "2304M");
  assert_string_equal(schedgpu_type_bytes(schedgpu_suggested_budget(2 * GIB + 1), typed), "2560M");
  assert_string_equal(schedgpu_type_bytes(schedgpu_suggested_budget(10 * GIB), typed), "11G");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(too_large_a_budget_is_reported_with_a_sufficient_one),
      cmocka_unit_test(too_small_a_budget_is_reported_if_the_job_had_to_wait),
      cmocka_unit_test(a_lane_job_without_marks_is_told_so),
      cmocka_unit_test(a_budget_that_no_program_asked_for_is_reported),
      cmocka_unit_test(a_suitable_budget_is_not_reported),
      cmocka_unit_test(refused_memory_is_reported_with_a_sufficient_budget),
      cmocka_unit_test(the_advice_is_at_most_what_the_device_can_give),
      cmocka_unit_test(without_a_budget_or_use_there_is_no_hint),
      cmocka_unit_test(the_device_of_which_it_used_most_counts),
      cmocka_unit_test(a_job_that_shares_its_lane_is_told_what_it_keeps),
      cmocka_unit_test(the_advice_can_be_typed_as_an_option),
      cmocka_unit_test(a_hint_that_takes_too_long_is_left_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

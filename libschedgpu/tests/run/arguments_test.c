/* arguments_test.c - the command line of `schedgpu run`, and the decisions before a job begins. */
#include "../../run/arguments.h"
#include "../../run/job.h"
#include "../conf/conf_testing.h"

static struct sgr_arguments taken;
static char problem[512];

static bool take(char **words) {
  return sgr_arguments_take(words, &taken, problem, sizeof problem);
}
#define TAKE(...) take((char *[]){__VA_ARGS__, NULL})

static void wrong(char **words, const char *message) {
  assert_false(take(words));
  assert_string_equal(problem, message);
}
#define WRONG(message, ...) wrong((char *[]){__VA_ARGS__, NULL}, message)

static void options_are_words_or_have_an_equals_sign(void **state) {
  (void)state;
  assert_true(TAKE("run", "--mem", "6G", "--mode=gate", "--processes", "2", "--priority=high",
                   "--wait", "5m", "--overflow=wait", "--on-failure", "refuse", "--context=1G",
                   "./train", "--mem", "1"));
  assert_string_equal(taken.option[SG_OPTION_mem], "6G");
  assert_string_equal(taken.option[SG_OPTION_mode], "gate");
  assert_string_equal(taken.option[SG_OPTION_processes], "2");
  assert_string_equal(taken.option[SG_OPTION_priority], "high");
  assert_string_equal(taken.option[SG_OPTION_wait], "5m");
  assert_string_equal(taken.option[SG_OPTION_overflow], "wait");
  assert_null(taken.option[SG_OPTION_lane]);
  assert_string_equal(taken.on_failure, "refuse");
  assert_string_equal(taken.context, "1G");
  assert_string_equal(taken.command[0], "./train");
  /* the words after the command are the command's */
  assert_string_equal(taken.command[1], "--mem");
  assert_true(taken.device_count == 1 && taken.device[0] == 0);
}

static void a_lane_needs_no_policy(void **state) {
  (void)state;
  assert_true(TAKE("run", "--lane", "srtf", "--length", "2h"));
  assert_string_equal(taken.option[SG_OPTION_lane], "fair");
  assert_string_equal(taken.command[0], "srtf"); /* only the equals sign gives it a value */
  assert_true(
      TAKE("run", "--lane=srtf", "--length", "2h", "--persistent=100M", "--share", "3", "./train"));
  assert_string_equal(taken.option[SG_OPTION_share], "3");
  assert_string_equal(taken.option[SG_OPTION_lane], "srtf");
  assert_string_equal(taken.option[SG_OPTION_length], "2h");
  assert_string_equal(taken.option[SG_OPTION_persistent], "100M");
  assert_string_equal(taken.command[0], "./train");
  assert_true(TAKE("run", "--lane", "--", "./train"));
  assert_string_equal(taken.option[SG_OPTION_lane], "fair");
}

static void words_behind_two_dashes_are_the_command(void **state) {
  (void)state;
  assert_true(TAKE("run", "--", "--help"));
  assert_string_equal(taken.command[0], "--help");
  assert_false(taken.help);
  WRONG("Missing required parameter: 'CMD'", "run", "--");
  WRONG("Missing required parameter: 'CMD'", "run", "--mem", "1G");
}

static void options_of_all_commands_may_come_first(void **state) {
  (void)state;
  assert_true(TAKE("--conf", "run", "--run-dir=/r", "run", "--config", "b", "true"));
  assert_string_equal(taken.conf, "b");
  assert_string_equal(taken.run_dir, "/r");
  WRONG("Unknown option: '--mem'", "--mem", "1G", "run", "true");
}

static void devices_add_up_and_count_once(void **state) {
  (void)state;
  assert_true(TAKE("run", "--device", "3,1", "--device=1,0", "true"));
  assert_int_equal(taken.device_count, 3);
  assert_true(taken.device[0] == 3 && taken.device[1] == 1 && taken.device[2] == 0);
  WRONG("--device=0,x: must be up to 16 numbers of devices, as 0,1", "run", "--device=0,x", "true");
  WRONG("--device=: must be up to 16 numbers of devices, as 0,1", "run", "--device=", "true");
  WRONG("--device=-1: must be up to 16 numbers of devices, as 0,1", "run", "--device", "-1",
        "true");
}

static void wrong_options_are_named(void **state) {
  (void)state;
  WRONG("Unknown option: '--memory=1G'", "run", "--memory=1G", "true");
  WRONG("Missing required parameter for option '--mem' (SIZE)", "run", "--mem");
  WRONG("Missing required parameter for option '--mem' (SIZE)", "run", "--mem", "--", "true");
  WRONG("--mem is given more than once: give it once", "run", "--mem=1G", "--mem", "2G", "true");
  WRONG("--config is given more than once: give it once", "run", "--conf=a", "--config=b", "true");
}

static void help_is_asked_for_before_the_command(void **state) {
  (void)state;
  assert_true(TAKE("run", "--mem", "1G", "-h"));
  assert_true(taken.help);
  assert_true(TAKE("run", "true", "--help"));
  assert_false(taken.help);
}

static void a_job_has_the_name_of_its_command(void **state) {
  static const char *const names[][2] = {
      {"/usr/bin/train", "train"}, {"train", "train"}, {"./a b/", "a b"}, {"/", ""}};
  char name[64];
  (void)state;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    sgr_job_name(names[i][0], name, sizeof name);
    assert_string_equal(name, names[i][1]);
  }
}

#define REFUSED                                                                                    \
  ", which has a budget of its own: leave schedgpu run out, the job's --schedgpu-mem counts"
static void inside_a_slurm_job_only_root_begins_another(void **state) {
  (void)state;
  const char *inside = "0::/system.slice/slurmstepd.scope/job_42/step_0/user/task_0\n";
  assert_int_equal(sgr_job_refuse_inside(inside, 1000, "./train", problem, sizeof problem),
                   SGR_FAILED);
  assert_string_equal(problem, "./train is not run: this is inside Slurm job 42" REFUSED);
  assert_int_equal(sgr_job_refuse_inside("0::/slurmstepd.scope/sABC/step_0\n", 1000, "t", problem,
                                         sizeof problem),
                   SGR_FAILED);
  assert_string_equal(problem, "t is not run: this is inside a Slurm job" REFUSED);
  assert_int_equal(sgr_job_refuse_inside(inside, 0, "t", problem, sizeof problem), SGR_BEGUN);
  assert_int_equal(
      sgr_job_refuse_inside("0::/user.slice/user-1000.slice\n", 1000, "t", problem, sizeof problem),
      SGR_BEGUN);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(options_are_words_or_have_an_equals_sign),
      cmocka_unit_test(a_lane_needs_no_policy),
      cmocka_unit_test(words_behind_two_dashes_are_the_command),
      cmocka_unit_test(options_of_all_commands_may_come_first),
      cmocka_unit_test(devices_add_up_and_count_once),
      cmocka_unit_test(wrong_options_are_named),
      cmocka_unit_test(help_is_asked_for_before_the_command),
      cmocka_unit_test(a_job_has_the_name_of_its_command),
      cmocka_unit_test(inside_a_slurm_job_only_root_begins_another),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

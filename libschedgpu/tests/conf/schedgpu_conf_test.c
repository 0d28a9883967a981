/* schedgpu_conf_test.c - every key of schedgpu.conf: default, mapping, refusal. */
#include "conf_testing.h"

static struct sg_conf conf;
static char error[4096];

/** A line with `key` and a value of `length` characters; valid until the next call. */
static const char *line_of(const char *key, size_t length) {
  static char line[2048];
  int start = snprintf(line, sizeof line, "%s=", key);
  memset(line + start, 'u', length);
  line[(size_t)start + length] = '\0';
  return line;
}

static int read_text(const char *text) {
  const char *path = file_with(text);
  int rc = sg_conf_read(path, &conf, error, sizeof error);
  unlink(path);
  return rc;
}

static void expect_accepted(const char *text) {
  int rc = read_text(text);
  if (rc != SCHEDGPU_OK)
    print_error("%s\n", error);
  assert_int_equal(rc, SCHEDGPU_OK);
}

/** Expects that the line is refused, with a message that names line, value and allowed values. */
static void expect_refused(const char *text, const char *message) {
  assert_int_equal(read_text(text), SCHEDGPU_EINVAL);
  if (!strstr(error, message))
    print_error("'%s' is not in: %s\n", message, error);
  assert_non_null(strstr(error, message));
}

static void an_empty_file_gives_the_defaults(void **state) {
  (void)state;
  expect_accepted("# nothing\n\n   \t\r\n");
  assert_string_equal(conf.run_dir, "/run/schedgpu");
  assert_string_equal(conf.default_mem, "");
  assert_string_equal(conf.max_mem, "100%");
  assert_string_equal(conf.safety_margin, "0");
  assert_non_null(strstr(conf.preload_library, "/libschedgpu-preload.so"));
  assert_int_equal(conf.policy, SCHEDGPU_POLICY_FIFO);
  assert_int_equal(conf.default_priority, 50);
  assert_int_equal(conf.max_priority, 90);
  assert_string_equal(conf.high_priority_users, "");
  assert_true(conf.wait_ns == SCHEDGPU_FOREVER);
  assert_true(conf.grace_ns == 0);
  assert_int_equal(conf.overtake_limit, 64);
  assert_int_equal(conf.deadlock_rule, SCHEDGPU_DEADLOCK_AVOID);
  assert_false(conf.refuse_on_failure);
  assert_false(conf.drain_on_hook_failure);
  assert_true(conf.hook_timeout_ns == 5 * SECOND_NS);
  assert_false(conf.overflow_waits);
  assert_true(conf.lanes);
  assert_true(conf.quantum_ns == SECOND_NS);
  assert_non_null(strstr(conf.python_path, "/share/schedgpu/python"));
  assert_false(conf.managed_passes);
  assert_true(conf.framework_environment);
  assert_string_equal(conf.region_group, "");
}

static void devices_conf_is_beside_schedgpu_conf(void **state) {
  (void)state;
  expect_accepted("");
  assert_string_equal(conf.devices_file, "/tmp/devices.conf");
  expect_accepted("DevicesFile=/etc/slurm/devices.conf");
  assert_string_equal(conf.devices_file, "/etc/slurm/devices.conf");
  expect_refused("DevicesFile=devices.conf", "DevicesFile=devices.conf: must be an absolute path");
}

static void a_missing_file_is_a_system_error(void **state) {
  (void)state;
  assert_int_equal(sg_conf_read("/nonexistent/schedgpu.conf", &conf, error, sizeof error),
                   SCHEDGPU_ESYSTEM);
  assert_non_null(strstr(error, "/nonexistent/schedgpu.conf: cannot be read: No such file"));
  assert_false(conf.refuse_on_failure);
}

static void paths(void **state) {
  (void)state;
  expect_accepted("RunDir=/run/other\nPreloadLibrary=/opt/lib/p.so");
  assert_string_equal(conf.run_dir, "/run/other");
  assert_string_equal(conf.preload_library, "/opt/lib/p.so");
  expect_refused("RunDir=run", "RunDir=run: must be an absolute path");
  expect_refused("PreloadLibrary=/a:b", "must be an absolute path without colons or blanks");
  expect_refused("PreloadLibrary=\"/a b\"", "PreloadLibrary=/a b");
}

static void policies(void **state) {
  (void)state;
  expect_accepted("Policy=priority-mmu");
  assert_int_equal(conf.policy, SCHEDGPU_POLICY_PRIORITY_MMU);
  expect_accepted("Policy=MMU");
  assert_int_equal(conf.policy, SCHEDGPU_POLICY_MMU);
  expect_refused("Policy=lifo", "Policy=lifo: must be fifo, mmu, ");
  for (uint32_t policy = 0; policy < SCHEDGPU_POLICIES; policy++) {
    char line[64];
    snprintf(line, sizeof line, "Policy=%s", schedgpu_policy_name(policy));
    assert_non_null(strstr(error, schedgpu_policy_name(policy)));
    expect_accepted(line);
    assert_int_equal(conf.policy, policy);
    read_text("Policy=lifo");
  }
}

static void sizes(void **state) {
  (void)state;
  expect_accepted("DefaultMem=2G\nMaxMem=80%\nSafetyMargin=5%");
  assert_string_equal(conf.default_mem, "2G");
  assert_string_equal(conf.max_mem, "80%");
  assert_string_equal(conf.safety_margin, "5%");
  expect_accepted("DefaultMem=none\nSafetyMargin=0");
  assert_string_equal(conf.default_mem, "");
  assert_false(conf.learned_mem);
  expect_accepted("DefaultMem=learned");
  assert_true(conf.learned_mem);
  assert_string_equal(conf.default_mem, "");
  expect_accepted("DefaultMem=Learned,40%");
  assert_true(conf.learned_mem);
  assert_string_equal(conf.default_mem, "40%");
  expect_accepted("DefaultMem=learned,none");
  assert_string_equal(conf.default_mem, "");
  expect_refused("DefaultMem=learned,", "DefaultMem=learned,: must be a size");
  expect_refused("DefaultMem=learned,learned", "DefaultMem=learned,learned: must be a size");
  expect_refused("DefaultMem=learnedly", "DefaultMem=learnedly: must be a size");
  expect_refused("DefaultMem=0", "DefaultMem=0: must be a size");
  expect_refused("DefaultMem=2X", "DefaultMem=2X");
  expect_refused("MaxMem=none", "MaxMem=none");
  expect_refused("MaxMem=0", "MaxMem=0: must be a size (512M, 6G) or a percentage (80%) above 0");
  expect_refused("MaxMem=0%", "MaxMem=0%: must be a size");
  expect_refused("MaxMem=120%", "MaxMem=120%");
  expect_refused("SafetyMargin=-1", "SafetyMargin=-1");
}

static void priorities(void **state) {
  (void)state;
  expect_accepted("DefaultPriority=low\nMaxPriority=70");
  assert_int_equal(conf.default_priority, 10);
  assert_int_equal(conf.max_priority, 70);
  expect_refused("DefaultPriority=top", "DefaultPriority=top: must be low, normal, high or 0 to");
  expect_refused("MaxPriority=101", "MaxPriority=101");
  expect_refused("DefaultPriority=high\nMaxPriority=low",
                 "DefaultPriority (90) is above MaxPriority (10)");
}

static void high_priority_users(void **state) {
  (void)state;
  expect_accepted("HighPriorityUsers=alice,1000");
  assert_string_equal(conf.high_priority_users, "alice,1000");
  expect_refused("HighPriorityUsers=\"alice, bob\"", "HighPriorityUsers=alice, bob");
  expect_accepted(line_of("HighPriorityUsers", 1023));
  assert_int_equal(strlen(conf.high_priority_users), 1023);
  expect_refused(line_of("HighPriorityUsers", 1024),
                 "must be user names or uids with commas and no blanks, below 1024 characters");
  assert_string_equal(conf.high_priority_users, "");
}

static void times(void **state) {
  (void)state;
  expect_accepted("Wait=10m\nGrace=500ms\nHookTimeout=300s");
  assert_true(conf.wait_ns == 600 * SECOND_NS);
  assert_true(conf.grace_ns == SECOND_NS / 2);
  assert_true(conf.hook_timeout_ns == 300 * SECOND_NS);
  expect_accepted("Wait=forever");
  assert_true(conf.wait_ns == SCHEDGPU_FOREVER);
  expect_refused("Wait=soon", "Wait=soon: must be a time");
  expect_refused("Grace=forever", "Grace=forever");
  expect_refused("HookTimeout=999ms", "HookTimeout=999ms: must be a time from 1s to 300s");
  expect_refused("HookTimeout=301s", "HookTimeout=301s");
  expect_refused("HookTimeout=forever", "HookTimeout=forever");
}

static void overtake_limit(void **state) {
  (void)state;
  expect_accepted("OvertakeLimit=0");
  assert_int_equal(conf.overtake_limit, 0);
  expect_accepted("OvertakeLimit=1000000");
  assert_int_equal(conf.overtake_limit, 1000000);
  expect_refused("OvertakeLimit=1000001", "OvertakeLimit=1000001: must be 0 to 1000000");
  expect_refused("OvertakeLimit=-1", "OvertakeLimit=-1");
  expect_refused("OvertakeLimit=5x", "OvertakeLimit=5x");
  expect_refused("OvertakeLimit=", "OvertakeLimit=");
}

static void deadlock_rules(void **state) {
  (void)state;
  expect_accepted("DeadlockRule=detect");
  assert_int_equal(conf.deadlock_rule, SCHEDGPU_DEADLOCK_DETECT);
  expect_accepted("deadlockrule=Avoid");
  assert_int_equal(conf.deadlock_rule, SCHEDGPU_DEADLOCK_AVOID);
  expect_refused("DeadlockRule=ignore", "DeadlockRule=ignore: must be avoid or detect");
  expect_refused("DeadlockRule=", "DeadlockRule=: must be avoid or detect");
  expect_refused("DeadlockRul=avoid", "did you mean DeadlockRule?");
}

static void failures(void **state) {
  (void)state;
  expect_accepted("OnFailure=refuse\nOnHookFailure=drain");
  assert_true(conf.refuse_on_failure);
  assert_true(conf.drain_on_hook_failure);
  expect_accepted("OnFailure=run\nOnHookFailure=ignore");
  assert_false(conf.refuse_on_failure);
  assert_false(conf.drain_on_hook_failure);
  expect_refused("OnFailure=drain", "OnFailure=drain: must be run or refuse");
  expect_refused("OnHookFailure=yes", "OnHookFailure=yes: must be ignore or drain");
}

static void overflow(void **state) {
  (void)state;
  expect_accepted("Overflow=wait");
  assert_true(conf.overflow_waits);
  expect_accepted("Overflow=Fail");
  assert_false(conf.overflow_waits);
  expect_refused("Overflow=no", "Overflow=no: must be fail or wait");
}

static void lanes(void **state) {
  (void)state;
  expect_accepted("Lanes=no\nLaneQuantum=250ms\nPythonPath=\"/opt/my modules\"");
  assert_false(conf.lanes);
  assert_true(conf.quantum_ns == SECOND_NS / 4);
  assert_string_equal(conf.python_path, "/opt/my modules");
  expect_accepted("Lanes=Yes\nPythonPath=None");
  assert_true(conf.lanes);
  assert_string_equal(conf.python_path, "");
  expect_refused("Lanes=fair", "Lanes=fair: must be yes or no");
  expect_refused("LaneQuantum=0", "LaneQuantum=0: must be a time from 1ms to 1h");
  expect_refused("LaneQuantum=61m", "LaneQuantum=61m: must be a time from 1ms to 1h");
  expect_refused("LaneQuantum=forever", "LaneQuantum=forever");
  expect_refused("PythonPath=/a:/b", "must be an absolute path without colons, or none");
  expect_refused("PythonPath=modules", "PythonPath=modules");
}

static void managed_memory(void **state) {
  (void)state;
  expect_accepted("ManagedMemory=pass");
  assert_true(conf.managed_passes);
  expect_accepted("ManagedMemory=reserve");
  assert_false(conf.managed_passes);
  expect_refused("ManagedMemory=no", "ManagedMemory=no: must be reserve or pass");
}

static void framework_environment(void **state) {
  (void)state;
  expect_accepted("FrameworkEnvironment=no");
  assert_false(conf.framework_environment);
  expect_accepted("FrameworkEnvironment=Yes");
  assert_true(conf.framework_environment);
  expect_refused("FrameworkEnvironment=on", "FrameworkEnvironment=on: must be yes or no");
  expect_refused("FrameworkEnviroment=no", "did you mean FrameworkEnvironment?");
}

static void end_hint(void **state) {
  (void)state;
  expect_accepted("");
  assert_true(conf.end_hint);
  expect_accepted("EndHint=No");
  assert_false(conf.end_hint);
  expect_accepted("EndHint=yes");
  assert_true(conf.end_hint);
  static const char *const wrong[] = {"maybe", "on", "1", "n", "yes or no", ""};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    char line[64], message[64];
    snprintf(line, sizeof line, "EndHint=\"%s\"", wrong[i]);
    snprintf(message, sizeof message, "EndHint=%s: must be yes or no", wrong[i]);
    expect_refused(line, message);
  }
}

static void region_group(void **state) {
  (void)state;
  expect_accepted("Mode=brokered");
  assert_true(conf.brokered);
  expect_accepted("Mode=shared");
  assert_false(conf.brokered);
  expect_refused("Mode=closed", "Mode=closed: must be shared or brokered");
  expect_accepted("RegionGroup=gpu-users");
  assert_string_equal(conf.region_group, "gpu-users");
  expect_accepted(line_of("RegionGroup", 63));
  assert_int_equal(strlen(conf.region_group), 63);
  expect_refused(line_of("RegionGroup", 64), "must be a group name below 64 characters");
  assert_string_equal(conf.region_group, "");
}

static void keys_are_of_any_case(void **state) {
  (void)state;
  expect_accepted("rundir=/a\nPOLICY=mmu");
  assert_string_equal(conf.run_dir, "/a");
}

static void quotes_and_comments(void **state) {
  (void)state;
  expect_accepted("RunDir=\"/a b#c\" # comment\r\nPolicy=mmu#comment\n");
  assert_string_equal(conf.run_dir, "/a b#c");
  assert_int_equal(conf.policy, SCHEDGPU_POLICY_MMU);
}

static void damaged_lines_are_refused(void **state) {
  (void)state;
  expect_refused("RunDir=\"/a\nPolicy=mmu", ":1: RunDir: the quote is never closed");
  assert_null(strchr(error, '\n')); /* one problem, one line */
  expect_refused("RunDir=\"/a\"b\n", ":1: RunDir: a blank is missing after the closing quote");
  assert_null(strchr(error, '\n'));
  expect_refused("RunDir", "'RunDir' is not Key=Value");
  expect_refused("RunDir = /a", "'RunDir' is not Key=Value");
  expect_refused("=x", "is not Key=Value");
  expect_refused("Policy=fifo Wait=5", "Wait=...: one Key=Value a line");
  expect_refused("Policy=fifo\nPolicy=mmu", ":2: Policy is already set in line 1");
}

/** Also in a key that only the agent reads: it would break the lines that the agent gets. */
static void control_characters_in_values_are_refused(void **state) {
  (void)state;
  expect_refused("Policy=mmu\nRunDir=\"/a\rb\"",
                 ":2: RunDir: the value has a control character (0x0d): remove it");
  assert_string_equal(conf.run_dir, "/run/schedgpu");
  expect_refused("RunDir=\"/a\tb\"", "(0x09): remove it");
  expect_refused("RunDir=/a\x1b[2J", "(0x1b): remove it");
  expect_refused("RegionGroup=\x01", "RegionGroup: the value has a control character (0x01)");
  expect_refused("RegionGroup=a\x7f", "(0x7f): remove it");
  expect_refused("HistoryFile=\"/h\r\"", ":1: HistoryFile: the value has a control character");
  expect_accepted("RunDir=\"/a\xc3\xa4 b\"\t#\x1b\r\n\r\n"); /* blanks and comments may have them */
  assert_string_equal(conf.run_dir, "/a\xc3\xa4 b");
}

/** Programs in other languages could not say what such a value is. */
static void values_that_are_not_utf8_are_refused(void **state) {
  (void)state;
  expect_refused("Policy=mmu\nRunDir=/M\xfcller",
                 ":2: RunDir: the value has a byte that is not UTF-8 (0xfc): remove it");
  expect_refused("RunDir=/a\xc3", "(0xc3): remove it");
  expect_refused("RunDir=/\xed\xa0\x80", "RunDir: the value has a byte that is not UTF-8 (0xed)");
  expect_refused("HistoryFile=/\xc0\xaf", "HistoryFile: the value has a byte that is not UTF-8");
  expect_accepted("# M\xfcller\nRunDir=/\xe2\x82\xac # M\xfcller\n");
  assert_string_equal(conf.run_dir, "/\xe2\x82\xac");
}

static void no_job_fails_for_a_key_of_the_agent(void **state) {
  (void)state;
  expect_accepted("OverrunAction=kill\nHistoryMax=much\nMetricsListen=here\nLogLevel=\n");
  assert_true(conf.end_hint);
  expect_accepted("EndHint=no\nSlurmComment=Admin_Comment\nSlurmRest=unix:/run/rest.sock\n");
  assert_false(conf.end_hint);
  expect_refused("OverunAction=warn", "unknown key 'OverunAction': did you mean OverrunAction?");
  expect_refused("LogLevel=info\nLogLevel=info", ":2: LogLevel is already set in line 1");
}

/** The words of Policy= are those of the table of policies. */
static void each_policy_is_named_where_the_key_is(void **state) {
  (void)state;
  for (uint32_t policy = 0; schedgpu_policy_name(policy); policy++) {
    char text[64];
    snprintf(text, sizeof text, "Policy=%s", schedgpu_policy_name(policy));
    expect_accepted(text);
    assert_int_equal(conf.policy, policy);
    expect_refused("Policy=lifo", schedgpu_policy_name(policy));
  }
}

static void the_near_key_is_named(void **state) {
  (void)state;
  expect_refused("DefaultMemory=1G", "unknown key 'DefaultMemory': did you mean DefaultMem?");
  expect_refused("polcy=fifo", "unknown key 'polcy': did you mean Policy?");
  expect_refused("Zebra=1", "unknown key 'Zebra'");
  assert_null(strstr(error, "did you mean"));
}

static void all_problems_are_reported_together(void **state) {
  (void)state;
  expect_refused("Polcy=fifo\n\nOnFailure=maybe\nWait=soon\n", ":1: unknown key 'Polcy'");
  assert_non_null(strstr(error, ":3: OnFailure=maybe"));
  assert_non_null(strstr(error, ":4: Wait=soon"));
}

static void a_long_report_is_cut_not_overrun(void **state) {
  (void)state;
  const char *path = file_with("Polcy=fifo\nOnFailure=maybe\n");
  char small[24];
  assert_int_equal(sg_conf_read(path, &conf, small, sizeof small), SCHEDGPU_EINVAL);
  unlink(path);
  assert_int_equal(strlen(small), sizeof small - 1);
  assert_non_null(strstr(small, "..."));
}

static void valid_lines_count_after_an_error(void **state) {
  (void)state;
  expect_refused("OnFailure=refuse\nPolcy=fifo", "Polcy");
  assert_true(conf.refuse_on_failure);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_empty_file_gives_the_defaults),
      cmocka_unit_test(devices_conf_is_beside_schedgpu_conf),
      cmocka_unit_test(a_missing_file_is_a_system_error),
      cmocka_unit_test(paths),
      cmocka_unit_test(policies),
      cmocka_unit_test(sizes),
      cmocka_unit_test(priorities),
      cmocka_unit_test(high_priority_users),
      cmocka_unit_test(times),
      cmocka_unit_test(overtake_limit),
      cmocka_unit_test(deadlock_rules),
      cmocka_unit_test(failures),
      cmocka_unit_test(overflow),
      cmocka_unit_test(lanes),
      cmocka_unit_test(managed_memory),
      cmocka_unit_test(framework_environment),
      cmocka_unit_test(end_hint),
      cmocka_unit_test(region_group),
      cmocka_unit_test(keys_are_of_any_case),
      cmocka_unit_test(quotes_and_comments),
      cmocka_unit_test(damaged_lines_are_refused),
      cmocka_unit_test(control_characters_in_values_are_refused),
      cmocka_unit_test(values_that_are_not_utf8_are_refused),
      cmocka_unit_test(no_job_fails_for_a_key_of_the_agent),
      cmocka_unit_test(each_policy_is_named_where_the_key_is),
      cmocka_unit_test(the_near_key_is_named),
      cmocka_unit_test(all_problems_are_reported_together),
      cmocka_unit_test(a_long_report_is_cut_not_overrun),
      cmocka_unit_test(valid_lines_count_after_an_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

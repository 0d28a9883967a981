/* conf_text_test.c - the configuration as programs in other languages read it. */
#include "conf_testing.h"
#include "../../conf/conf_keys.h"
#include "schedgpu/conf_text.h"

static char said[8192], error[8192];

static int parse(const char *text) {
  return schedgpu_conf_parse("s.conf", text, strlen(text), said, sizeof said, error, sizeof error);
}

static void expect_refused(const char *text, const char *message) {
  assert_int_equal(parse(text), SCHEDGPU_EINVAL);
  if (strcmp(error, message) != 0)
    print_error("%s\n", error);
  assert_string_equal(error, message);
}

/** The output for the lines of the text, without the defaults. */
static const char *set(void) {
  const char *at = said;
  while (strncmp(at, "0 ", 2) == 0)
    at = strchr(at, '\n') + 1;
  return at;
}

static void each_value_is_reported_with_its_line(void **state) {
  (void)state;
  assert_int_equal(parse("# first\nrundir=\"/a b\"\n\nHistoryMax=1G # much\nRegionGroup=\n"), 0);
  assert_string_equal(set(), "2 RunDir /a b\n4 HistoryMax 1G\n5 RegionGroup \n");
  assert_int_equal(parse(""), SCHEDGPU_OK);
  assert_string_equal(set(), "");
  assert_non_null(strstr(said, "0 RunDir /run/schedgpu\n"));
  assert_non_null(strstr(said, "0 HistoryFile \n"));
}

static void a_value_that_the_hooks_refuse_is_refused(void **state) {
  (void)state;
  expect_refused("Lanes=maybe\nMaxPriority=low\n",
                 "s.conf:1: Lanes=maybe: must be yes or no\n"
                 "s.conf: DefaultPriority (50) is above MaxPriority (10): lower the first");
}

/** A key with a wrong value and a valid one. */
struct agent_value {
  const char *wrong, *right, *allowed;
};

static void the_agents_values_are_checked(void **state) {
  static const struct agent_value values[] = {
      {"OverrunAction=kill", "OverrunAction=End", "leave, warn or end"},
      {"OverrunEvery=99ms", "OverrunEvery=100ms", "a time from 100ms to 1h"},
      {"OverrunEvery=61m", "OverrunEvery=1h", "a time from 100ms to 1h"},
      {"OverrunGrace=forever", "OverrunGrace=0", "a time of at most 1h"},
      {"DriverLimits=1", "DriverLimits=No", "yes or no"},
      {"LearnContext=", "LearnContext=yes", "yes or no"},
      {"ContextFile=c", "ContextFile=/c", "an absolute path"},
      {"CheckEvery=0", "CheckEvery=1s", "a time from 1s to 1h"},
      {"LeftJobGrace=999ms", "LeftJobGrace=forever", "a time of at least 1s, or forever"},
      {"HistoryFile=h.db", "HistoryFile=/h.db", "an absolute path"},
      {"HistoryKeep=59m", "HistoryKeep=999d", "a time of at least 1h, or forever"},
      {"HistoryMax=1000K", "HistoryMax=1M", "a size of at least 1M"},
      {"HistoryMax=40%", "HistoryMax=1M", "a size of at least 1M"},
      {"SampleEvery=500ms", "SampleEvery=1h", "a time from 1s to 1h"},
      {"PrivateData=usage", "PrivateData=None", "jobs or none"},
      {"SlurmComment=note", "SlurmComment=Extra", "no, comment, admin_comment or extra"},
      {"SlurmComment=comm", "SlurmComment=comment", "no, comment, admin_comment or extra"},
      {"SlurmRest=localhost:6820", "SlurmRest=https://h:1/x", "unix:/PATH or http://HOST:PORT"},
      {"SlurmRest=unix:/", "SlurmRest=unix:/run/s", "unix:/PATH or http://HOST:PORT"},
      {"SlurmRest=http:///x", "SlurmRest=http://h:1", "unix:/PATH or http://HOST:PORT"},
      {"SlurmRestUser=", "SlurmRestUser=slurm", "a user"},
      {"SlurmRestToken=token", "SlurmRestToken=/token", "an absolute path"},
      {"LogLevel=verbose", "LogLevel=Debug", "error, warning, info or debug"},
      {"MetricsPublic=1", "MetricsPublic=No", "yes or no"},
  };
  (void)state;
  for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
    char message[256];
    snprintf(message, sizeof message, "s.conf:1: %s: must be %s", values[i].wrong,
             values[i].allowed);
    expect_refused(values[i].wrong, message);
    assert_int_equal(parse(values[i].right), SCHEDGPU_OK);
  }
}

static void a_path_has_room_everywhere(void **state) {
  static char text[5000] = "HistoryFile=/";
  (void)state;
  size_t prefix = strlen(text);
  memset(text + prefix, 'x', 4094);
  assert_int_equal(parse(text), SCHEDGPU_OK);
  text[prefix + 4094] = 'x';
  assert_int_equal(parse(text), SCHEDGPU_EINVAL);
}

static void a_value_that_does_not_fit_is_an_error(void **state) {
  static const char text[] = "RunDir=/a/b/c/d/e/f\n";
  char small[8];
  (void)state;
  assert_int_equal(
      schedgpu_conf_parse("s.conf", text, strlen(text), small, sizeof small, error, sizeof error),
      SCHEDGPU_ESYSTEM);
}

/** Each key has a description and a valid default. */
static void the_table_is_complete(void **state) {
  (void)state;
  for (int k = 0; k < SG_CONF_KEYS; k++) {
    const struct sg_conf_key *key = &sg_conf_keys[k];
    assert_true(key->name[0] && key->allowed[0] && key->meaning && key->meaning[0]);
    char line[512];
    snprintf(line, sizeof line, "%s=%s", key->name, key->by_default);
    if (key->by_default[0])
      assert_int_equal(parse(line), SCHEDGPU_OK);
  }
}

static void the_devices_of_a_node_are_listed(void **state) {
  static const char rest[] = " File=/dev/nvidia0 TotalBytes=5032116224 ReservedBytes=1 "
                             "ContextBytes=67108864 Virtual=0-11 Name=\"Tesla K20m\"\n";
  struct schedgpu_setup setup;
  char text[1024];
  (void)state;
  snprintf(text, sizeof text, "NodeName=g2 Device=0 UUID=GPU-9%sNodeName=g1 Device=3 UUID=GPU-4%s",
           rest, rest);
  assert_int_equal(
      schedgpu_conf_parse_devices("d.conf", text, strlen(text), "g1", &setup, error, sizeof error),
      SCHEDGPU_OK);
  assert_int_equal(setup.device_count, 1);
  assert_int_equal(setup.device[0].index, 3);
  assert_string_equal(setup.device[0].uuid, "GPU-4");
  assert_string_equal(setup.device[0].name, "Tesla K20m");
  assert_true(setup.device[0].total_bytes == 5032116224 &&
              setup.device[0].context_bytes == 67108864);
  assert_int_equal(
      schedgpu_conf_parse_devices("d.conf", text, strlen(text), "g3", &setup, error, sizeof error),
      SCHEDGPU_OK);
  assert_int_equal(setup.device_count, 0);
  snprintf(text, sizeof text, "NodeName=g1 Device=16 UUID=GPU-4%s", rest);
  assert_int_equal(
      schedgpu_conf_parse_devices("d.conf", text, strlen(text), "g1", &setup, error, sizeof error),
      SCHEDGPU_EINVAL);
  assert_string_equal(error, "d.conf:1: Device=16: must be 0 to 15");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_value_is_reported_with_its_line),
      cmocka_unit_test(a_value_that_the_hooks_refuse_is_refused),
      cmocka_unit_test(the_agents_values_are_checked),
      cmocka_unit_test(a_path_has_room_everywhere),
      cmocka_unit_test(a_value_that_does_not_fit_is_an_error),
      cmocka_unit_test(the_table_is_complete),
      cmocka_unit_test(the_devices_of_a_node_are_listed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* conf_schedgpu.c - schedgpu.conf: one table of keys, their checks and their defaults. */
#include "conf_file.h"
#include "schedgpu/conf.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#ifndef SG_LIBDIR
#define SG_LIBDIR "/usr/local/lib"
#endif

#define NS_PER_S INT64_C(1000000000)
#define OVERTAKE_MOST 1000000
#define SIZES "a size (512M, 6G, 6GiB, a bare number of MiB)"
#define TIMES "a time (500ms, 30s, 5m, 2h, MM:SS, HH:MM:SS, a bare number of seconds)"

/** A percentage is checked against a device that does not matter. */
static int check_size(const char *value, bool zero_allowed) {
  uint64_t bytes;
  if (schedgpu_parse_bytes(value, UINT64_C(1) << 40, &bytes) != SCHEDGPU_OK)
    return SCHEDGPU_EINVAL;
  return bytes > 0 || zero_allowed ? SCHEDGPU_OK : SCHEDGPU_EINVAL;
}

static int set_run_dir(void *target, const char *value) {
  struct sg_conf *c = target;
  return sg_copy_path(c->run_dir, sizeof c->run_dir, value);
}

static int set_devices_file(void *target, const char *value) {
  struct sg_conf *c = target;
  return sg_copy_path(c->devices_file, sizeof c->devices_file, value);
}

/** LD_PRELOAD separates with colons and blanks: neither can be part of the path. */
static int set_preload_library(void *target, const char *value) {
  struct sg_conf *c = target;
  if (strpbrk(value, ": \t"))
    return SCHEDGPU_EINVAL;
  return sg_copy_path(c->preload_library, sizeof c->preload_library, value);
}

static int set_policy(void *target, const char *value) {
  struct sg_conf *c = target;
  for (uint32_t policy = 0; schedgpu_policy_name(policy); policy++)
    if (strcasecmp(value, schedgpu_policy_name(policy)) == 0) {
      c->policy = policy;
      return SCHEDGPU_OK;
    }
  return SCHEDGPU_EINVAL;
}

/** `learned`, or `learned,` and what holds for jobs of which nothing is known. */
static int set_default_mem(void *target, const char *value) {
  static const char learned[] = "learned";
  struct sg_conf *c = target;
  size_t length = sizeof learned - 1;
  if (strcasecmp(value, learned) == 0)
    value = "learned,none";
  c->learned_mem = strncasecmp(value, learned, length) == 0 && value[length] == ',';
  if (c->learned_mem)
    value += length + 1;
  if (strcasecmp(value, "none") == 0)
    return sg_copy_text(c->default_mem, sizeof c->default_mem, "");
  if (check_size(value, false) != SCHEDGPU_OK)
    return SCHEDGPU_EINVAL;
  return sg_copy_text(c->default_mem, sizeof c->default_mem, value);
}

static int set_max_mem(void *target, const char *value) {
  struct sg_conf *c = target;
  if (check_size(value, false) != SCHEDGPU_OK)
    return SCHEDGPU_EINVAL;
  return sg_copy_text(c->max_mem, sizeof c->max_mem, value);
}

static int set_safety_margin(void *target, const char *value) {
  struct sg_conf *c = target;
  if (check_size(value, true) != SCHEDGPU_OK)
    return SCHEDGPU_EINVAL;
  return sg_copy_text(c->safety_margin, sizeof c->safety_margin, value);
}

static int set_default_priority(void *target, const char *value) {
  struct sg_conf *c = target;
  return schedgpu_parse_priority(value, &c->default_priority);
}

static int set_max_priority(void *target, const char *value) {
  struct sg_conf *c = target;
  return schedgpu_parse_priority(value, &c->max_priority);
}

static int set_high_priority_users(void *target, const char *value) {
  struct sg_conf *c = target;
  if (strpbrk(value, " \t"))
    return SCHEDGPU_EINVAL;
  return sg_copy_text(c->high_priority_users, sizeof c->high_priority_users, value);
}

static int set_wait(void *target, const char *value) {
  struct sg_conf *c = target;
  return schedgpu_parse_time(value, &c->wait_ns);
}

static int set_grace(void *target, const char *value) {
  struct sg_conf *c = target;
  int64_t ns;
  if (schedgpu_parse_time(value, &ns) != SCHEDGPU_OK || ns < 0)
    return SCHEDGPU_EINVAL;
  c->grace_ns = ns;
  return SCHEDGPU_OK;
}

static int set_overtake_limit(void *target, const char *value) {
  struct sg_conf *c = target;
  char *end;
  errno = 0;
  unsigned long number = strtoul(value, &end, 10);
  if (value[0] < '0' || value[0] > '9' || *end || errno || number > OVERTAKE_MOST)
    return SCHEDGPU_EINVAL;
  c->overtake_limit = (uint32_t)number;
  return SCHEDGPU_OK;
}

/** `no` -> false, `yes` -> true. */
static int set_choice(bool *choice, const char *value, const char *no, const char *yes) {
  if (strcasecmp(value, no) != 0 && strcasecmp(value, yes) != 0)
    return SCHEDGPU_EINVAL;
  *choice = strcasecmp(value, yes) == 0;
  return SCHEDGPU_OK;
}

static int set_deadlock_rule(void *target, const char *value) {
  struct sg_conf *c = target;
  bool avoid;
  if (set_choice(&avoid, value, "detect", "avoid") != SCHEDGPU_OK)
    return SCHEDGPU_EINVAL;
  c->deadlock_rule = avoid ? SCHEDGPU_DEADLOCK_AVOID : SCHEDGPU_DEADLOCK_DETECT;
  return SCHEDGPU_OK;
}

static int set_on_failure(void *target, const char *value) {
  struct sg_conf *c = target;
  return set_choice(&c->refuse_on_failure, value, "run", "refuse");
}

static int set_on_hook_failure(void *target, const char *value) {
  struct sg_conf *c = target;
  return set_choice(&c->drain_on_hook_failure, value, "ignore", "drain");
}

static int set_hook_timeout(void *target, const char *value) {
  struct sg_conf *c = target;
  int64_t ns;
  if (schedgpu_parse_time(value, &ns) != SCHEDGPU_OK || ns < NS_PER_S || ns > 300 * NS_PER_S)
    return SCHEDGPU_EINVAL;
  c->hook_timeout_ns = ns;
  return SCHEDGPU_OK;
}

static int set_overflow(void *target, const char *value) {
  struct sg_conf *c = target;
  return set_choice(&c->overflow_waits, value, "fail", "wait");
}

static int set_managed_memory(void *target, const char *value) {
  struct sg_conf *c = target;
  return set_choice(&c->managed_passes, value, "reserve", "pass");
}

static int set_framework_environment(void *target, const char *value) {
  struct sg_conf *c = target;
  return set_choice(&c->framework_environment, value, "no", "yes");
}

static int set_end_hint(void *target, const char *value) {
  struct sg_conf *c = target;
  return set_choice(&c->end_hint, value, "no", "yes");
}

static int set_mode(void *target, const char *value) {
  struct sg_conf *c = target;
  return set_choice(&c->brokered, value, "shared", "brokered");
}

static int set_region_group(void *target, const char *value) {
  struct sg_conf *c = target;
  return sg_copy_text(c->region_group, sizeof c->region_group, value);
}

/*
 * The agent's own keys: it checks them in full. Here only what cannot be meant is refused, so that
 * one file serves all.
 */
static int check_word(const char *value, const char *const *words) {
  for (; *words; words++)
    if (strcasecmp(value, *words) == 0)
      return SCHEDGPU_OK;
  return SCHEDGPU_EINVAL;
}

static int check_slurm_comment(void *target, const char *value) {
  static const char *const fields[] = {"no", "comment", "admin_comment", "extra", NULL};
  (void)target;
  return check_word(value, fields);
}

static int check_text(void *target, const char *value) {
  (void)target;
  return value[0] ? SCHEDGPU_OK : SCHEDGPU_EINVAL;
}

static int check_overrun_action(void *target, const char *value) {
  static const char *const actions[] = {"leave", "warn", "end", NULL};
  (void)target;
  return check_word(value, actions);
}

static int check_log_level(void *target, const char *value) {
  static const char *const levels[] = {"error", "warning", "info", "debug", NULL};
  (void)target;
  return check_word(value, levels);
}

static int check_yes_or_no(void *target, const char *value) {
  static const char *const answers[] = {"yes", "no", NULL};
  (void)target;
  return check_word(value, answers);
}

static int check_private_data(void *target, const char *value) {
  static const char *const kinds[] = {"jobs", "none", NULL};
  (void)target;
  return check_word(value, kinds);
}

static int check_path(void *target, const char *value) {
  (void)target;
  return value[0] == '/' ? SCHEDGPU_OK : SCHEDGPU_EINVAL;
}

static int check_bytes(void *target, const char *value) {
  uint64_t bytes;
  (void)target;
  return schedgpu_parse_bytes(value, 0, &bytes);
}

static int check_time(void *target, const char *value) {
  int64_t ns;
  (void)target;
  return schedgpu_parse_time(value, &ns);
}

/** The agent says what is wrong with it: no job is to fail for it. */
static int check_anything(void *target, const char *value) {
  (void)target;
  (void)value;
  return SCHEDGPU_OK;
}

static const struct sg_conf_key keys[] = {
    {"RunDir", "an absolute path", set_run_dir},
    {"DevicesFile", "an absolute path", set_devices_file},
    {"PreloadLibrary", "an absolute path without colons or blanks", set_preload_library},
    {"Policy", "fifo, mmu, priority-fifo or priority-mmu", set_policy},
    {"DefaultMem", SIZES ", a percentage (40%), none, learned, or learned, and one of them",
     set_default_mem},
    {"MaxMem", SIZES " or a percentage (80%)", set_max_mem},
    {"SafetyMargin", SIZES " or a percentage (5%)", set_safety_margin},
    {"DefaultPriority", "low, normal, high or 0 to 100", set_default_priority},
    {"MaxPriority", "low, normal, high or 0 to 100", set_max_priority},
    {"HighPriorityUsers", "user names or uids with commas and no blanks, below 1024 characters",
     set_high_priority_users},
    {"Wait", TIMES " or forever", set_wait},
    {"Grace", TIMES, set_grace},
    {"OvertakeLimit", "0 to 1000000 (0: no limit)", set_overtake_limit},
    {"DeadlockRule", "avoid or detect", set_deadlock_rule},
    {"OnFailure", "run or refuse", set_on_failure},
    {"OnHookFailure", "ignore or drain", set_on_hook_failure},
    {"HookTimeout", "a time from 1s to 300s", set_hook_timeout},
    {"Overflow", "fail or wait", set_overflow},
    {"ManagedMemory", "reserve or pass", set_managed_memory},
    {"FrameworkEnvironment", "yes or no", set_framework_environment},
    {"Mode", "shared or brokered", set_mode},
    {"RegionGroup", "a group name below 64 characters", set_region_group},
    {"EndHint", "yes or no", set_end_hint},
    {"SlurmComment", "no, comment, admin_comment or extra", check_slurm_comment},
    {"SlurmRest", "unix:/PATH or http://HOST:PORT", check_text},
    {"SlurmRestUser", "a user", check_text},
    {"SlurmRestToken", "an absolute path", check_path},
    {"OverrunAction", "leave, warn or end", check_overrun_action},
    {"OverrunEvery", TIMES, check_time},
    {"OverrunGrace", TIMES, check_time},
    {"DriverLimits", "yes or no", check_yes_or_no},
    {"LearnContext", "yes or no", check_yes_or_no},
    {"ContextFile", "an absolute path", check_path},
    {"CheckEvery", TIMES, check_time},
    {"LeftJobGrace", TIMES " or forever", check_time},
    {"HistoryFile", "an absolute path", check_path},
    {"HistoryKeep", TIMES " or forever", check_time},
    {"HistoryMax", SIZES, check_bytes},
    {"SampleEvery", TIMES, check_time},
    {"PrivateData", "jobs or none", check_private_data},
    {"LogLevel", "error, warning, info or debug", check_log_level},
    {"MetricsListen", "an address", check_anything},
    {"MetricsPublic", "yes or no", check_yes_or_no},
};
#define KEYS ((int)(sizeof keys / sizeof *keys))

void sg_conf_defaults(struct sg_conf *conf) {
  *conf = (struct sg_conf){.run_dir = "/run/schedgpu",
                           .devices_file = "/etc/schedgpu/devices.conf",
                           .preload_library = SG_LIBDIR "/libschedgpu-preload.so",
                           .policy = SCHEDGPU_POLICY_FIFO,
                           .max_mem = "100%",
                           .safety_margin = "0",
                           .default_priority = 50,
                           .max_priority = 90,
                           .wait_ns = SCHEDGPU_FOREVER,
                           .overtake_limit = 64,
                           .deadlock_rule = SCHEDGPU_DEADLOCK_AVOID,
                           .hook_timeout_ns = 5 * NS_PER_S,
                           .framework_environment = true,
                           .end_hint = true};
}

/** devices.conf in the folder of `path`. */
static void set_devices_beside(struct sg_conf *conf, const char *path) {
  static const char name[] = "devices.conf";
  const char *slash = strrchr(path, '/');
  size_t folder = slash ? (size_t)(slash - path) + 1 : 0;
  if (folder + sizeof name > sizeof conf->devices_file)
    return;
  memcpy(conf->devices_file, path, folder);
  memcpy(conf->devices_file + folder, name, sizeof name);
}

/** What one line alone cannot tell. */
static void check_together(const struct sg_conf *conf, struct sg_problems *problems) {
  if (conf->default_priority > conf->max_priority)
    sg_problem(problems, "DefaultPriority (%d) is above MaxPriority (%d): lower the first",
               conf->default_priority, conf->max_priority);
}

static void read_lines(FILE *file, struct sg_conf *conf, struct sg_problems *problems) {
  struct sg_conf_line line = {0};
  int seen[KEYS] = {0};
  while (sg_conf_next_line(file, &line, problems)) {
    if (line.count > 1)
      sg_problem(problems, "%s=...: one Key=Value a line", line.pair[1].key);
    int k = sg_conf_set(keys, KEYS, &line.pair[0], conf, problems);
    if (k >= 0 && seen[k])
      sg_problem(problems, "%s is already set in line %d", keys[k].name, seen[k]);
    if (k >= 0)
      seen[k] = line.number;
  }
  sg_conf_line_free(&line);
}

int sg_conf_read(const char *path, struct sg_conf *conf, char *error, size_t error_size) {
  struct sg_problems problems;
  sg_problems_init(&problems, path, error, error_size);
  sg_conf_defaults(conf);
  set_devices_beside(conf, path);
  FILE *file = fopen(path, "re");
  if (!file) {
    int saved = errno;
    sg_problem(&problems, "cannot be read: %s: the administrator writes it on every node",
               strerror(saved));
    errno = saved;
    return SCHEDGPU_ESYSTEM;
  }
  read_lines(file, conf, &problems);
  check_together(conf, &problems);
  fclose(file);
  return problems.count == 0 ? SCHEDGPU_OK : SCHEDGPU_EINVAL;
}

/*
 * fake_slurm.h - a Slurm that loads the plugin: the functions that it calls, and the properties of
 * one job. A test program includes it once. Each scenario is a process of its own, as each command
 * and each slurmstepd is.
 */
#ifndef FAKE_SLURM_H
#define FAKE_SLURM_H

#include "testing.h"
#include <slurm/spank.h>
#include <sys/wait.h>

#define ENTRIES 64

struct entry {
  char name[64];
  char value[512];
};

/* The properties of this fake Slurm, and what the plugin did to it. */
static spank_context_t context;
static struct spank_option *option[16];
static int options;
static uid_t job_uid = 1000;
static struct entry job_env[ENTRIES], job_control[ENTRIES];
static uint32_t job_id = 42, step_id;
static int task_id;
static uint32_t tasks = 1;
static char said[8192];
static bool preload_is_long; /* longer than the caller's buffer */

static inline struct entry *entry_of(struct entry *entries, const char *name, bool create) {
  for (int i = 0; i < ENTRIES; i++) {
    if (strcmp(entries[i].name, name) == 0)
      return &entries[i];
  }
  return create ? entry_of(entries, "", false) : NULL;
}

static inline void put(struct entry *entries, const char *name, const char *value) {
  struct entry *e = entry_of(entries, name, true);
  assert_non_null(e);
  snprintf(e->name, sizeof e->name, "%s", name);
  snprintf(e->value, sizeof e->value, "%s", value);
}

static inline const char *value_of(struct entry *entries, const char *name) {
  struct entry *e = entry_of(entries, name, false);
  return e ? e->value : "(not set)";
}

static inline void say(const char *format, va_list arguments) {
  size_t length = strlen(said);
  vsnprintf(said + length, sizeof said - length, format, arguments);
  strncat(said, "\n", sizeof said - strlen(said) - 1);
}

spank_context_t spank_context(void) {
  return context;
}

const char *spank_strerror(spank_err_t error) {
  (void)error;
  return "an error";
}

spank_err_t spank_option_register(spank_t spank, struct spank_option *added) {
  (void)spank;
  option[options++] = added;
  return ESPANK_SUCCESS;
}

spank_err_t spank_get_item(spank_t spank, spank_item_t item, ...) {
  va_list arguments;
  (void)spank;
  va_start(arguments, item);
  void *to = va_arg(arguments, void *);
  va_end(arguments);
  if (item == S_JOB_ID)
    *(uint32_t *)to = job_id;
  else if (item == S_JOB_UID)
    *(uid_t *)to = job_uid;
  else if (item == S_JOB_STEPID)
    *(uint32_t *)to = step_id;
  else if (item == S_TASK_ID)
    *(int *)to = task_id;
  else if (item == S_JOB_LOCAL_TASK_COUNT)
    *(uint32_t *)to = tasks;
  else
    return ESPANK_BAD_ARG;
  return ESPANK_SUCCESS;
}

spank_err_t spank_getenv(spank_t spank, const char *name, char *value, int size) {
  struct entry *e = entry_of(job_env, name, false);
  (void)spank;
  if (preload_is_long && strcmp(name, "LD_PRELOAD") == 0)
    return ESPANK_NOSPACE;
  if (!e)
    return ESPANK_ENV_NOEXIST;
  return snprintf(value, (size_t)size, "%s", e->value) < size ? ESPANK_SUCCESS : ESPANK_NOSPACE;
}

spank_err_t spank_setenv(spank_t spank, const char *name, const char *value, int overwrite) {
  (void)spank;
  (void)overwrite;
  put(job_env, name, value);
  return ESPANK_SUCCESS;
}

spank_err_t spank_unsetenv(spank_t spank, const char *name) {
  struct entry *e = entry_of(job_env, name, false);
  (void)spank;
  if (e)
    memset(e, 0, sizeof *e);
  return ESPANK_SUCCESS;
}

spank_err_t spank_job_control_setenv(spank_t spank, const char *name, const char *value,
                                     int overwrite) {
  (void)spank;
  (void)overwrite;
  put(job_control, name, value);
  return ESPANK_SUCCESS;
}

spank_err_t spank_job_control_unsetenv(spank_t spank, const char *name) {
  struct entry *e = entry_of(job_control, name, false);
  (void)spank;
  if (e)
    memset(e, 0, sizeof *e);
  return ESPANK_SUCCESS;
}

void slurm_error(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  say(format, arguments);
  va_end(arguments);
}

void slurm_spank_log(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  say(format, arguments);
  va_end(arguments);
}

static inline int give_option(const char *name, const char *value) {
  int remote = context == S_CTX_REMOTE;
  for (int i = 0; i < options; i++) {
    if (strcmp(option[i]->name, name) == 0)
      return option[i]->cb(option[i]->val, value, remote);
  }
  fail_msg("no option %s", name);
  return -1;
}

static inline int start(spank_context_t where) {
  static char argument[PATH_MAX + 8];
  char *arguments[] = {argument};
  snprintf(argument, sizeof argument, "conf=%s", in_folder("schedgpu.conf"));
  context = where;
  return slurm_spank_init(NULL, 1, arguments);
}

static inline void expect_said(const char *message) {
  if (!strstr(said, message))
    print_error("'%s' is not in: %s\n", message, said);
  assert_non_null(strstr(said, message));
}

/** Runs a scenario in a child: the plugin's state belongs to a process. */
static inline void in_a_process(CMUnitTestFunction scenario) {
  int status;
  fflush(NULL);
  pid_t pid = fork();
  if (pid == 0) {
    const struct CMUnitTest only[] = {{"scenario", scenario, NULL, NULL, NULL}};
    _exit(cmocka_run_group_tests(only, NULL, NULL));
  }
  assert_int_equal(waitpid(pid, &status, 0), pid);
  assert_int_equal(status, 0);
}

static inline void be_on_a_node(const char *gpus) {
  put(job_env, "SLURM_STEP_GPUS", gpus);
  put(job_env, "CUDA_VISIBLE_DEVICES", gpus);
  assert_int_equal(start(S_CTX_REMOTE), 0);
}

static inline int run_task(void) {
  assert_int_equal(slurm_spank_init_post_opt(NULL, 0, NULL), 0);
  return slurm_spank_task_init(NULL, 0, NULL);
}

/** A test that runs a scenario. */
#define SCENARIO(name, run)                                                                        \
  static void name(void **state) {                                                                 \
    (void)state;                                                                                   \
    in_a_process(run);                                                                             \
  }
#define UNIT(test) cmocka_unit_test_setup_teardown(test, set_up_folder, remove_folder)

#endif

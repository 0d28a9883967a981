/*
 * hook_testing.h - runs a hook as Slurm does: with its own environment only, in a folder with
 * slurm.conf's other files. The variable HOOK names the program. Used by prolog and epilog.
 */
#ifndef HOOK_TESTING_H
#define HOOK_TESTING_H

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>
#include "schedgpu/admin.h"

#define GIB (UINT64_C(1) << 30)
#define MAX_VARIABLES 32

struct hook_result {
  int status;
  char out[4096];
  char err[8192];
};

static char folder[64];
static struct hook_result result;
static const char *variable[MAX_VARIABLES];
static int variables;

static inline const char *in_folder(const char *name) {
  static char paths[4][PATH_MAX];
  static int next;
  char *path = paths[next++ % 4];
  snprintf(path, PATH_MAX, "%s/%s", folder, name);
  return path;
}

static inline void write_file(const char *name, const char *format, ...) {
  va_list arguments;
  FILE *file = fopen(in_folder(name), "w");
  assert_non_null(file);
  va_start(arguments, format);
  vfprintf(file, format, arguments);
  va_end(arguments);
  fclose(file);
}

/** Writes a schedgpu.conf with these lines and RunDir. */
static inline void configure(const char *lines) {
  write_file("schedgpu.conf", "RunDir=%s/run\n%s\n", folder, lines);
}

/** Sets a variable of the hook's environment, "NAME=value". */
static inline void give(const char *text) {
  assert_true(variables < MAX_VARIABLES);
  variable[variables++] = strdup(text);
}

static inline void forget_all(void) {
  while (variables > 0)
    free((char *)variable[--variables]);
}

/** Sets the environment of job `id` as Slurm does; `gpus` NULL for a job without GPUs. */
static inline void be_job_of(const char *id, const char *gpus, const char *uid) {
  char text[PATH_MAX + 32];
  forget_all();
  snprintf(text, sizeof text, "SLURM_CONF=%s/slurm.conf", folder);
  give(text);
  give("SLURMD_NODENAME=gpu1");
  snprintf(text, sizeof text, "SCHEDGPU_DRIVER_GPUS=%s/gpus", folder); /* not those of the host */
  give(text);
  snprintf(text, sizeof text, "SLURM_JOB_ID=%s", id);
  give(text);
  snprintf(text, sizeof text, "SLURM_JOB_UID=%s", uid);
  give(text);
  snprintf(text, sizeof text, "SLURM_JOB_GPUS=%s", gpus ? gpus : "");
  if (gpus)
    give(text);
}

static inline void be_job(const char *id, const char *gpus) {
  be_job_of(id, gpus, "1000");
}

/** Starts the hook; `argument` may be NULL. Output goes to files in the folder. */
static inline pid_t start_hook(const char *argument, const char *value) {
  const char *program = getenv("HOOK");
  char *const arguments[] = {(char *)program, (char *)argument, (char *)value, NULL};
  char *environment[MAX_VARIABLES + 1] = {NULL};
  assert_non_null(program);
  memcpy(environment, variable, (size_t)variables * sizeof *variable);
  pid_t pid = fork();
  if (pid == 0) {
    int out = open(in_folder("out"), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    int err = open(in_folder("err"), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    execve(program, arguments, environment);
    _exit(127);
  }
  assert_true(pid > 0);
  return pid;
}

static inline void read_file(const char *name, char *text, size_t size) {
  FILE *file = fopen(in_folder(name), "r");
  assert_non_null(file);
  text[fread(text, 1, size - 1, file)] = '\0';
  fclose(file);
}

static inline int wait_for(pid_t pid) {
  int status;
  assert_int_equal(waitpid(pid, &status, 0), pid);
  assert_true(WIFEXITED(status));
  return WEXITSTATUS(status);
}

static inline void run_hook_with(const char *argument, const char *value) {
  result.status = wait_for(start_hook(argument, value));
  read_file("out", result.out, sizeof result.out);
  read_file("err", result.err, sizeof result.err);
}

static inline void expect_status(int status) {
  run_hook_with(NULL, NULL);
  if (result.status != status)
    print_error("%s\n", result.err);
  assert_int_equal(result.status, status);
  assert_string_equal(result.out, "");
}

/** Expects that the hook succeeds without output. */
static inline void expect_silence(void) {
  expect_status(0);
  assert_string_equal(result.err, "");
}

/** Expects that the hook prints `message` as one line and ends with `status`. */
static inline void expect_message(int status, const char *message) {
  expect_status(status);
  if (!strstr(result.err, message))
    print_error("'%s' is not in: %s\n", message, result.err);
  assert_non_null(strstr(result.err, message));
  assert_ptr_equal(strchr(result.err, '\n'), result.err + strlen(result.err) - 1);
}

static inline schedgpu_admin *open_region(void) {
  schedgpu_admin *admin;
  assert_int_equal(schedgpu_admin_open(in_folder("run"), &admin), SCHEDGPU_OK);
  return admin;
}

/** Finds the record of job `id`: 0 or ENOJOB. */
static inline int find_job(uint64_t id, struct schedgpu_job_spec *spec) {
  schedgpu_admin *admin = open_region();
  int rc = schedgpu_admin_job_find(admin, SCHEDGPU_JOB_SLURM, id, spec);
  schedgpu_admin_close(admin);
  return rc;
}

static inline void touch_region_for_ever(void) {
  schedgpu_admin *admin;
  if (schedgpu_admin_open(in_folder("run"), &admin) != SCHEDGPU_OK)
    _exit(1);
  for (;;)
    schedgpu_admin_job_find(admin, SCHEDGPU_JOB_SLURM, 1, NULL);
}

static inline int probe_lock(void) {
  schedgpu_admin *admin = open_region();
  schedgpu_admin_set_timeout(admin, 20000000);
  int rc = schedgpu_admin_job_find(admin, SCHEDGPU_JOB_SLURM, 1, NULL);
  if (rc == SCHEDGPU_ELOCK)
    schedgpu_admin_set_timeout(admin, 0);
  schedgpu_admin_close(admin);
  return rc;
}

/** Starts a process that is stopped while it holds the region's lock. */
static inline pid_t stop_a_lock_holder(void) {
  pid_t pid = fork();
  if (pid == 0)
    touch_region_for_ever();
  for (int i = 0; i < 10000; i++) {
    int status;
    usleep(1000 + (useconds_t)(i % 7) * 100);
    kill(pid, SIGSTOP);
    assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
    if (probe_lock() == SCHEDGPU_ELOCK)
      return pid;
    kill(pid, SIGCONT);
  }
  fail_msg("the process was never stopped inside the lock");
  return -1;
}

static inline void kill_and_wait(pid_t pid) {
  kill(pid, SIGKILL);
  waitpid(pid, NULL, 0);
}

static inline int set_up_folder(void **state) {
  (void)state;
  strcpy(folder, "/tmp/schedgpu-test-XXXXXX");
  assert_non_null(mkdtemp(folder));
  configure("");
  write_file("devices.conf",
             "NodeName=gpu1 Device=0 UUID=GPU-a File=/dev/nvidia0 TotalBytes=17179869184 "
             "ReservedBytes=0 ContextBytes=268435456 Virtual=0-3\n"
             "NodeName=gpu1 Device=1 UUID=GPU-b File=/dev/nvidia1 TotalBytes=17179869184 "
             "ReservedBytes=0 ContextBytes=268435456 Virtual=4-7\n");
  be_job("42", "1,5");
  return 0;
}

static inline int remove_folder(void **state) {
  char command[128];
  (void)state;
  forget_all();
  schedgpu_admin_remove(in_folder("run"), 1); /* the segment is not removed with the files */
  snprintf(command, sizeof command, "rm -r %s", folder);
  return system(command);
}

#endif

/*
 * main.c - `schedgpu run`: runs a command as a job on a node without Slurm. It is a separate native
 * program, because each job waits for its start and Java starts slower than many jobs run. The
 * shell script `schedgpu` starts it as `schedgpu-run SCHEDGPU WORDS...`, with SCHEDGPU the path of
 * the script and WORDS its arguments. As `schedgpu-run --status WORDS...` it is `schedgpu status`
 * (status.h), which users want at once, too.
 */
#include "../node/end_hint.h"
#include "../node/printable.h"
#include "../node/unscheduled.h"
#include "../shell/sys/small_file.h"
#include "command.h"
#include "job.h"
#include "status.h"
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Exit codes, as in ExitCode.java. */
#define FAILED 1
#define USAGE 2
#define CANNOT_EXECUTE 126
#define NOT_FOUND 127

static struct sgr_job job;

/**
 * Prints one line on stderr. Parts of it may be chosen by any user, so control characters are
 * replaced.
 */
static void __attribute__((format(printf, 1, 2))) say(const char *format, ...) {
  char line[sizeof job.error + 512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  sg_printable(line);
  fprintf(stderr, "%s\n", line);
}

static int wrong_usage(const char *what) {
  say("schedgpu run: %s: see schedgpu run --help", what);
  return USAGE;
}

/** Joins several lines into one, without their prefix. */
static void join_lines(const char *lines, char *text, size_t size) {
  static const char name[] = "schedgpu: ";
  size_t used = 0;
  while (*lines && used + 3 < size) {
    if (strncmp(lines, name, sizeof name - 1) == 0)
      lines += sizeof name - 1;
    size_t length = strcspn(lines, "\n");
    used +=
        (size_t)snprintf(text + used, size - used, "%s%.*s", used ? "; " : "", (int)length, lines);
    lines += length + (lines[length] == '\n');
  }
}

static void print_not_scheduled(void) {
  static char what[sizeof job.error];
  join_lines(job.error, what, sizeof what);
  say("schedgpu: %s: %s is %s", what, job.arguments.command[0],
      sgr_job_refuses(&job) ? "not run, as --on-failure is refuse" : "run unscheduled");
}

/** Prints that the priority was lowered, by this command or by an agent with other limits. */
static void print_lowered_priority(void) {
  int32_t wanted = (int32_t)sg_option_number(&job.options, SG_OPTION_priority);
  if (job.registration.job.priority < wanted)
    say("schedgpu: priority %d is lowered to MaxPriority %d", wanted,
        job.registration.job.priority);
}

/** Prints what was learned from earlier runs: a budget, and what happens if it is too small; what a
 * lane job keeps, or that nobody measures it. */
static void print_learned(void) {
  char size[24];
  uint64_t bytes = 0;
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++)
    bytes =
        job.registration.job.budget_bytes[d] > bytes ? job.registration.job.budget_bytes[d] : bytes;
  if (job.learned)
    say("schedgpu: no --mem: %s, as earlier runs of %s needed; for more it waits",
        sg_size_text(bytes, size), job.options.job_name);
  if (job.options.learned_persistent != 0)
    say("schedgpu: no --persistent: %s, as earlier runs of %s kept between iterations",
        sg_size_text(job.registration.job.persistent_bytes, size), job.options.job_name);
  if (job.unmeasured)
    say("schedgpu: no --persistent, and no agent answers, which measures what the job keeps: taken "
        "as nothing");
}

static int cannot_start(void) {
  bool missing = errno == ENOENT;
  say("schedgpu: %s%s", job.arguments.command[0],
      missing ? ": there is no such command: check the path"
              : ": cannot be executed: check its mode");
  return missing ? NOT_FOUND : CANNOT_EXECUTE;
}

/** From now on a signal goes to the command, or ends the wait for it. */
static void catch_signals(void) {
  int problem = sgr_signals_catch();
  if (problem != 0)
    say("schedgpu: signals are not given to %s (%s)", job.arguments.command[0], strerror(problem));
}

static int execute(char *const *environment) {
  int code = sgr_command_run(job.arguments.command, environment);
  return code < 0 ? cannot_start() : code;
}

static int unscheduled(void) {
  return sgr_job_refuses(&job) ? FAILED : execute(job.users);
}

/** Ends the job after a signal that came while it waited at the gate. */
static void end_at_gate(void *argument) {
  (void)argument;
  schedgpu_set_wait_observer(NULL, NULL);
  sgr_registration_end(&job.registration);
}

static enum sgr_fate pass_gate(bool *passed) {
  sgr_signals_end_with(end_at_gate, NULL);
  enum sgr_fate fate = sgr_job_pass_gate(&job, passed);
  sgr_signals_end_with(NULL, NULL);
  return fate;
}

static void print_hint(void) {
  char text[512];
  if (job.conf.end_hint && !job.learned &&
      sgr_registration_hint(&job.registration, text, sizeof text))
    say("schedgpu: %s", text);
}

/** As the plugin does when a step ends; before the job ends, because the agent then removes it. */
static void print_unscheduled(void) {
  char text[1024];
  if (sg_unscheduled_text(job.run_dir, SCHEDGPU_JOB_RUN, job.registration.job.job_id, "", text,
                          sizeof text))
    say("schedgpu: %s", text);
}

static int fail(void) {
  say("schedgpu: %s", job.error);
  return FAILED;
}

/** Runs a job that has begun. Returns the exit code. */
static int run_job(void) {
  bool passed;
  enum sgr_fate fate = pass_gate(&passed);
  if (fate == SGR_FAILED)
    return fail();
  if (!passed)
    return FAILED;
  if (fate == SGR_UNSCHEDULABLE)
    print_not_scheduled();
  int code = fate == SGR_UNSCHEDULABLE ? unscheduled() : execute(environ);
  print_unscheduled();
  print_hint();
  return code;
}

static int run(void) {
  enum sgr_fate fate = sgr_job_begin(&job);
  if (fate == SGR_WRONG_USAGE)
    return wrong_usage(job.error);
  if (fate == SGR_FAILED)
    return fail();
  catch_signals();
  if (fate == SGR_UNSCHEDULABLE) {
    print_not_scheduled();
    return unscheduled();
  }
  print_lowered_priority();
  print_learned();
  return run_job();
}

/** Copies the environment, because setenv() changes the original array. */
static char **copy_environment(void) {
  size_t count = 0;
  while (environ[count])
    count++;
  char **copy = calloc(count + 1, sizeof *copy);
  if (copy)
    memcpy(copy, environ, count * sizeof *copy);
  return copy;
}

/** Lets the script print the help, which is written there. */
static int show_help(char *schedgpu) {
  char *words[] = {schedgpu, "run", "--help", NULL};
  execvp(schedgpu, words);
  say("schedgpu: %s: cannot be started (%s): reinstall schedgpu", schedgpu, strerror(errno));
  return FAILED;
}

int main(int argc, char **argv) {
  char problem[512], cgroups[16384];
  if (argc < 2)
    return wrong_usage("it is started by schedgpu");
  if (strcmp(argv[1], "--status") == 0)
    return sgr_status(argv + 2);
  if (!sgr_arguments_take(argv + 2, &job.arguments, problem, sizeof problem))
    return wrong_usage(problem);
  if (job.arguments.help)
    return show_help(argv[1]);
  const char *then = job.arguments.on_failure;
  if (then && strcmp(then, "run") != 0 && strcmp(then, "refuse") != 0) {
    snprintf(problem, sizeof problem, "--on-failure=%s: must be run or refuse", then);
    return wrong_usage(problem);
  }
  job.schedgpu = argv[1];
  job.users = copy_environment();
  signal(SIGCHLD, SIG_DFL);
  if (!job.users) {
    say("schedgpu: not enough memory");
    return FAILED;
  }
  if (sg_read_small_file("/proc/self/cgroup", cgroups, sizeof cgroups) &&
      sgr_job_refuse_inside(cgroups, geteuid(), job.arguments.command[0], job.error,
                            sizeof job.error) != SGR_BEGUN)
    return fail();
  int code = run();
  sgr_registration_end(&job.registration);
  return code;
}

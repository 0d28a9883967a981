/* hook.c - see hook.h. */
#include "hook.h"
#include "printable.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <syslog.h>
#include <unistd.h>

#define NS_PER_S INT64_C(1000000000)
#define EXIT_USAGE 64
#define EXIT_DRAIN 1

/* Read by the signal handler, so written before the timer is set. */
static volatile sig_atomic_t status_after_timeout;
static char timeout_text[256];
static size_t timeout_length;

static void on_timeout(int signal) {
  (void)signal;
  if (write(STDERR_FILENO, timeout_text, timeout_length) < 0) {
    /* no other place is left to report it */
  }
  _exit(status_after_timeout);
}

/**
 * Ends a hook that hangs: it blocks the job or the whole node, and Slurm's own default is to wait
 * forever.
 */
static void limit_time(const struct sg_hook *hook, int64_t timeout_ns, bool drain) {
  struct sigaction action = {.sa_handler = on_timeout};
  struct itimerval none = {0}, timer = {.it_value = {.tv_sec = timeout_ns / NS_PER_S,
                                                     .tv_usec = timeout_ns % NS_PER_S / 1000}};
  setitimer(ITIMER_REAL, &none, NULL);
  status_after_timeout = drain ? EXIT_DRAIN : 0;
  int n = snprintf(timeout_text, sizeof timeout_text,
                   "%s: job %llu: not finished after %lld ms (HookTimeout): stopped\n", hook->name,
                   (unsigned long long)hook->job_id, (long long)(timeout_ns / 1000000));
  timeout_length = n < 0 ? 0 : (size_t)n;
  sigaction(SIGALRM, &action, NULL);
  setitimer(ITIMER_REAL, &timer, NULL);
}

static void apply_conf(const struct sg_hook *hook) {
  limit_time(hook, hook->node.conf.hook_timeout_ns, hook->node.conf.drain_on_hook_failure);
}

int sg_hook_read_conf(struct sg_hook *hook) {
  int rc = sg_conf_read(hook->conf_path, &hook->node.conf, hook->error, sizeof hook->error);
  apply_conf(hook);
  return rc;
}

int64_t sg_hook_lock_timeout_ns(const struct sg_hook *hook) {
  return hook->node.conf.hook_timeout_ns / 2;
}

bool sg_hook_number(const char *name, uint64_t most, uint64_t *number) {
  const char *text = getenv(name);
  char *end;
  if (!text || text[0] < '0' || text[0] > '9')
    return false;
  errno = 0;
  unsigned long long parsed = strtoull(text, &end, 10);
  if (*end || errno || parsed > most)
    return false;
  *number = parsed;
  return true;
}

void sg_hook_log(const struct sg_hook *hook, const char *text) {
  char line[SG_HOOK_ERROR];
  snprintf(line, sizeof line, "%s", text);
  sg_printable(line); /* the text may contain options that users typed */
  fprintf(stderr, "%s: job %llu: %s\n", hook->name, (unsigned long long)hook->job_id, line);
  syslog(LOG_ERR, "job %llu: %s", (unsigned long long)hook->job_id, line);
}

static int print_help(const struct sg_hook *hook) {
  printf("usage: %s [--conf FILE]\n"
         "%s Slurm runs it (slurm.conf: Prolog=, Epilog=), with SLURM_JOB_ID and the like in\n"
         "the environment. See %s(8).\n"
         "  --conf FILE  read this schedgpu.conf\n"
         "  --help       this text\n"
         "  --version    the version\n",
         hook->name, hook->does, hook->name);
  return 0;
}

/** Parses the arguments. -1 to go on, else the exit status. */
static int parse_arguments(struct sg_hook *hook, int argc, char **argv) {
  const char *given = NULL;
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--help") == 0)
      return print_help(hook);
    if (strcmp(argv[i], "--version") == 0) {
      printf("%s %s\n", hook->name, hook->version);
      return 0;
    }
    if (strcmp(argv[i], "--conf") != 0 || i + 1 == argc) {
      fprintf(stderr, "%s: %s: unknown argument: see %s --help\n", hook->name, argv[i], hook->name);
      return EXIT_USAGE;
    }
    given = argv[++i];
  }
  sg_find_conf(given, hook->conf_path, sizeof hook->conf_path);
  return -1;
}

int sg_hook_main(struct sg_hook *hook, int argc, char **argv) {
  int status = parse_arguments(hook, argc, argv);
  if (status >= 0)
    return status;
  openlog(hook->name, LOG_PID, LOG_DAEMON);
  if (!sg_hook_number("SLURM_JOB_ID", UINT32_MAX, &hook->job_id)) {
    sg_hook_log(hook, "SLURM_JOB_ID is missing or not a number: Slurm must start this program");
    return 0;
  }
  sg_conf_defaults(&hook->node.conf);
  apply_conf(hook);
  if (hook->work(hook) == SCHEDGPU_OK)
    return 0;
  sg_hook_log(hook, hook->error);
  bool drains = hook->unfit || hook->node.conf.drain_on_hook_failure;
  return drains && !hook->jobs_fault ? EXIT_DRAIN : 0;
}

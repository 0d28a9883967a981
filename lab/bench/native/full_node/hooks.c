/*
 * hooks.c - begins and ends jobs by the programs that slurmd would start, at planned times. The
 * time of a hook counts from its planned start. So a hook that starts late, because the one before
 * took long, counts as late; an average over the started hooks would hide that.
 */
#include "full_node.h"
#include <fcntl.h>
#include <spawn.h>

#define LIFE_NS (60 * NS_PER_MS) /* time between the begin and the end of a job */
#define AT_ONCE 32u              /* hooks at one time; each takes one of the root side's 64 slots */
#define VARIABLES 12
#define TEXT_SIZE (PATH_MAX + 16)

enum job_state { JOB_TO_COME, JOB_BEGINS, JOB_RUNS, JOB_ENDS, JOB_OVER };

struct running {
  pid_t pid; /**< pid; 0: free */
  uint64_t job;
  enum hook hook;
};

struct hooks {
  uint64_t start_ns, period_ns;
  uint64_t total; /**< number of jobs */
  uint64_t next[HOOKS];
  uint32_t at_once, jobs_now;
  uint8_t *state; /**< state of each job */
  int log;
  struct running running[AT_ONCE];
  struct hook_figures figures[HOOKS];
  char text[VARIABLES][TEXT_SIZE];
  char *environment[VARIABLES + 1];
};

static posix_spawnattr_t attributes_with(short group) {
  posix_spawnattr_t attributes;
  sigset_t none;
  sigemptyset(&none);
  MUST(posix_spawnattr_init(&attributes) == 0);
  posix_spawnattr_setflags(&attributes, (short)(group | POSIX_SPAWN_SETSIGMASK));
  posix_spawnattr_setsigmask(&attributes, &none);
  return attributes;
}

pid_t spawn(const char *program, char *const arguments[], char *const environment[], int output,
            bool in_session) {
  static posix_spawnattr_t group, session;
  static bool ready;
  pid_t pid;
  if (!ready) {
    group = attributes_with(POSIX_SPAWN_SETPGROUP);
    session = attributes_with(POSIX_SPAWN_SETSID);
    ready = true;
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
  int rc =
      posix_spawn(&pid, program, &actions, in_session ? &session : &group, arguments, environment);
  posix_spawn_file_actions_destroy(&actions);
  errno = rc;
  MUST(rc == 0);
  return pid;
}

static void set(struct hooks *h, int i, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void set(struct hooks *h, int i, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(h->text[i], TEXT_SIZE, format, arguments);
  va_end(arguments);
  h->environment[i] = h->text[i];
}

/** The environment that slurmd sets: no PATH, no HOME. */
static void fill_environment(struct hooks *h, const char *folder) {
  set(h, 4, "SLURM_CONF=%s/slurm.conf", folder);
  set(h, 5, "SLURMD_NODENAME=" NODE_NAME);
  set(h, 6, "SLURM_JOB_UID=%u", (unsigned)getuid());
  set(h, 7, "SLURM_JOB_USER=user");
  set(h, 8, "SLURM_CLUSTER_NAME=cluster");
  set(h, 9, "SLURM_NODELIST=" NODE_NAME);
  set(h, 10, "SLURM_JOB_PARTITION=gpu");
  set(h, 11, "SPANK_SCHEDGPU_MEM=300M");
}

static void fill_for(struct hooks *h, const struct running *r) {
  unsigned long long id = FIRST_PASSING_JOB + r->job;
  set(h, 0, "SLURM_JOB_ID=%llu", id);
  set(h, 1, "SLURM_JOBID=%llu", id);
  set(h, 2, "SLURM_JOB_GPUS=%u", (unsigned)(r->job % DEVICES));
  set(h, 3, "SLURM_SCRIPT_CONTEXT=%s", r->hook == HOOK_BEGIN ? "prolog_slurmd" : "epilog_slurmd");
}

struct hooks *hooks_new(const struct settings *settings) {
  struct hooks *h = calloc(1, sizeof *h);
  char log[PATH_MAX];
  MUST(h);
  snprintf(log, sizeof log, "%s/hooks.log", settings->folder);
  h->log = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0644);
  h->start_ns = now_ns();
  h->period_ns = NS_PER_S / settings->rate;
  h->total = (uint64_t)settings->time_ns / h->period_ns;
  h->state = calloc(h->total + 1, 1);
  MUST(h->log >= 0 && h->state);
  fill_environment(h, settings->folder);
  return h;
}

void hooks_free(struct hooks *h) {
  close(h->log);
  free(h->state);
  free(h);
}

static uint64_t time_of(const struct hooks *h, enum hook hook, uint64_t job) {
  return h->start_ns + job * h->period_ns + (hook == HOOK_END ? LIFE_NS : 0);
}

/** Skips the end of a job whose begin failed. */
static void skip_failed(struct hooks *h) {
  while (h->next[HOOK_END] < h->total && h->state[h->next[HOOK_END]] == JOB_OVER)
    h->next[HOOK_END]++;
}

/** True if the hook could be started, were it due. */
static bool may_start(const struct hooks *h, enum hook hook) {
  if (h->next[hook] >= h->total || h->at_once >= AT_ONCE)
    return false;
  return hook == HOOK_BEGIN ? h->jobs_now < PASSING_JOBS : h->state[h->next[HOOK_END]] == JOB_RUNS;
}

/** Chooses the hook whose planned start is first. */
static bool choose(const struct hooks *h, enum hook *hook) {
  bool begin = may_start(h, HOOK_BEGIN), end = may_start(h, HOOK_END);
  *hook = HOOK_END;
  if (begin && (!end || time_of(h, HOOK_BEGIN, h->next[HOOK_BEGIN]) <
                            time_of(h, HOOK_END, h->next[HOOK_END])))
    *hook = HOOK_BEGIN;
  return begin || end;
}

static void start(struct hooks *h, enum hook hook, uint64_t now) {
  static char *const program[HOOKS] = {(char *)PROLOG, (char *)EPILOG};
  struct running *r = h->running;
  while (r->pid != 0)
    r++;
  *r = (struct running){.job = h->next[hook]++, .hook = hook};
  char *const arguments[] = {program[hook], NULL};
  fill_for(h, r);
  histogram_add(&h->figures[hook].late, now - time_of(h, hook, r->job));
  h->state[r->job] = hook == HOOK_BEGIN ? JOB_BEGINS : JOB_ENDS;
  h->jobs_now += hook == HOOK_BEGIN;
  h->at_once++;
  r->pid = spawn(program[hook], arguments, h->environment, h->log, false);
}

uint64_t hooks_start_due(struct hooks *h, uint64_t now) {
  enum hook hook;
  skip_failed(h);
  while (choose(h, &hook)) {
    uint64_t due_ns = time_of(h, hook, h->next[hook]);
    if (due_ns > now)
      return due_ns;
    start(h, hook, now);
    now = now_ns();
    skip_failed(h);
  }
  return UINT64_MAX; /* no time is known: when one of them ends */
}

void hooks_stop_begins(struct hooks *h) {
  h->total = h->next[HOOK_BEGIN];
}

bool hooks_ended(struct hooks *h, pid_t pid, int status, uint64_t cpu_ns, uint64_t now) {
  for (struct running *r = h->running; r < h->running + AT_ONCE; r++) {
    if (r->pid != pid)
      continue;
    struct hook_figures *figures = &h->figures[r->hook];
    bool failed = !WIFEXITED(status) || WEXITSTATUS(status) != 0;
    histogram_add(&figures->took, now - time_of(h, r->hook, r->job));
    figures->done++;
    figures->cpu_ns += cpu_ns;
    figures->failed += failed;
    h->state[r->job] = r->hook == HOOK_BEGIN && !failed ? JOB_RUNS : JOB_OVER;
    h->jobs_now -= h->state[r->job] == JOB_OVER;
    h->at_once--;
    r->pid = 0;
    return true;
  }
  return false;
}

bool hooks_done(const struct hooks *h) {
  return h->next[HOOK_BEGIN] >= h->total && h->next[HOOK_END] >= h->total && h->at_once == 0;
}

uint64_t hooks_asked(const struct hooks *h) {
  return h->total;
}

uint64_t hooks_behind_ns(const struct hooks *h, uint64_t now) {
  uint64_t oldest_ns = now;
  for (int hook = 0; hook < HOOKS; hook++)
    if (h->next[hook] < h->total && time_of(h, (enum hook)hook, h->next[hook]) < oldest_ns)
      oldest_ns = time_of(h, (enum hook)hook, h->next[hook]);
  return now - oldest_ns;
}

const struct hook_figures *hooks_figures(const struct hooks *h, enum hook hook) {
  return &h->figures[hook];
}

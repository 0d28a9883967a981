/*
 * main.c - a full node under load, measured.
 *
 *   full-node [-s] [-t 10m] [-r 500] [-o FOLDER] [-i IDLE] [-f] [-n]
 *     -s  a soak, an hour at 20 a second: judged is memory, and that nothing is lost
 *     -i  so long before, with the agent alone
 *     -f  functional: no time is judged
 *     -n  without NVML; else the emulated one
 *
 * Exit code 0: all that is judged is met. 1: something is not, or is broken. 130: interrupted.
 */
#include "full_node.h"
#include <sys/resource.h>

#define SETTLE_NS (5 * NS_PER_S) /* after its start, the agent is neither idle nor under load */
#define AGENT_DIED "the agent has ended"

struct load {
  struct settings settings;
  struct node node;
  struct agent agent;
  struct crowd crowd;
  struct watch watch;
  sigset_t signals;
  bool interrupted;
  char wrong[512];
};

static bool parse_time(const char *text, int64_t *ns) {
  return schedgpu_parse_time(text, ns) == SCHEDGPU_OK && *ns > 0;
}

/** Applied before -t and -r, which override it. */
static void soak(struct settings *s) {
  s->soak = true;
  s->time_ns = 3600 * (int64_t)NS_PER_S;
  snprintf(s->time_text, sizeof s->time_text, "1h");
  s->rate = 20;
  s->status_every_ns = 10 * NS_PER_S;
}

static bool parse(int argc, char **argv, struct settings *s) {
  int option;
  int64_t idle_ns;
  *s = (struct settings){.time_ns = 600 * (int64_t)NS_PER_S,
                         .time_text = "10m",
                         .rate = 500,
                         .status_every_ns = NS_PER_S,
                         .turn_ns = 15 * NS_PER_S,
                         .death_every_ns = NS_PER_S / 2,
                         .nvml = true,
                         .folder = "target/scale"};
  while ((option = getopt(argc, argv, "t:r:o:i:sfn")) != -1) {
    if (option == 't' && parse_time(optarg, &s->time_ns))
      snprintf(s->time_text, sizeof s->time_text, "%s", optarg);
    else if (option == 'r' && atoi(optarg) > 0 && atoi(optarg) <= 100000)
      s->rate = (uint32_t)atoi(optarg);
    else if (option == 'o' && strlen(optarg) < sizeof s->folder)
      snprintf(s->folder, sizeof s->folder, "%s", optarg);
    else if (option == 'i' && parse_time(optarg, &idle_ns))
      s->idle_ns = (uint64_t)idle_ns;
    else if (option == 's')
      soak(s);
    else if (option == 'f')
      s->functional = true;
    else if (option == 'n')
      s->nvml = false;
    else
      return false;
  }
  if (s->functional) { /* a busier, shorter run */
    s->turn_ns = 5 * NS_PER_S;
    s->death_every_ns = NS_PER_S / 5;
  }
  return optind == argc;
}

static struct schedgpu_setup setup_of_devices(void) {
  struct schedgpu_setup setup = fixture_setup(DEVICES, DEVICE_BYTES, 0, SCHEDGPU_POLICY_FIFO);
  for (uint32_t d = 0; d < DEVICES; d++)
    snprintf(setup.device[d].uuid, sizeof setup.device[d].uuid, "GPU-e0e0e0e0-0000-4000-8000-%012x",
             d); /* the emulator keeps them there */
  return setup;
}

static FILE *file_in(const char *folder, const char *name) {
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "w");
  MUST(file);
  return file;
}

static void configure(const struct load *l) {
  const char *folder = l->settings.folder;
  FILE *conf = file_in(folder, "schedgpu.conf"), *devices = file_in(folder, "devices.conf");
  struct schedgpu_setup setup = setup_of_devices();
  fprintf(conf, "RunDir=%s\nSafetyMargin=0\nHistoryFile=%s/history.db\n", l->node.dir, folder);
  if (l->settings.functional)
    /* the run judges no time, and no job may fail because of it */
    fprintf(conf, "HookTimeout=60s\n");
  for (uint32_t d = 0; d < DEVICES; d++)
    fprintf(devices,
            "NodeName=" NODE_NAME " Device=%u UUID=%s File=/dev/nvidia%u TotalBytes=%llu "
            "ReservedBytes=0 ContextBytes=0 Virtual=%u-%u Name=Emulated\n",
            d, setup.device[d].uuid, d, (unsigned long long)DEVICE_BYTES, d, d);
  MUST(fclose(conf) == 0 && fclose(devices) == 0);
}

/** Configures the emulated NVML with the same devices and sizes. */
static void emulate_nvml(const struct settings *s) {
  char text[PATH_MAX];
  snprintf(text, sizeof text, "%s/emulated-gpu", s->folder);
  unlink(text);
  setenv("EMULATED_GPU_STATE", text, 1);
  snprintf(text, sizeof text, "%u", DEVICES);
  setenv("EMULATED_GPU_COUNT", text, 1);
  snprintf(text, sizeof text, "%llu", (unsigned long long)DEVICE_BYTES);
  setenv("EMULATED_GPU_MEM", text, 1);
  setenv("LD_LIBRARY_PATH", EMULATOR_DIR, 1);
}

static struct load load;

static void forget_agent(void) {
  agent_forget(load.node.dir);
}

static void prepare(struct load *l) {
  static const char *const ours[] = {"SCHEDGPU_JOB", "SLURM_JOB_ID", "SLURM_CONF"};
  struct schedgpu_setup setup = setup_of_devices();
  char folder[PATH_MAX];
  if (mkdir(l->settings.folder, 0755) != 0)
    MUST(errno == EEXIST);
  MUST(realpath(l->settings.folder, folder) && strlen(folder) < sizeof l->settings.folder);
  memcpy(l->settings.folder, folder, strlen(folder) + 1);
  for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
    unsetenv(ours[i]);
  if (l->settings.nvml)
    emulate_nvml(&l->settings);
  l->node = node_of(&setup);
  atexit(forget_agent); /* before the node's own handler, on every way to exit */
  configure(l);
  sigemptyset(&l->signals);
  sigaddset(&l->signals, SIGCHLD);
  sigaddset(&l->signals, SIGINT);
  sigaddset(&l->signals, SIGTERM);
}

static void note(struct load *l, const char *text) {
  if (!l->wrong[0])
    snprintf(l->wrong, sizeof l->wrong, "%s", text);
}

static uint64_t cpu_ns_used(const struct rusage *usage) {
  return ((uint64_t)usage->ru_utime.tv_sec + (uint64_t)usage->ru_stime.tv_sec) * NS_PER_S +
         ((uint64_t)usage->ru_utime.tv_usec + (uint64_t)usage->ru_stime.tv_usec) * NS_PER_US;
}

static void bury(struct load *l, pid_t pid, int status, const struct rusage *usage) {
  uint64_t now = now_ns();
  if (hooks_ended(l->watch.hooks, pid, status, cpu_ns_used(usage), now) ||
      watch_ended(&l->watch, pid, status, now))
    return;
  if (pid == l->agent.pid) {
    l->agent.pid = 0;
    note(l, AGENT_DIED ": see agent.log");
  }
  if (pid == l->crowd.pid) {
    l->crowd.pid = 0;
    note(l, "the keeper of the processes has ended: see processes.log");
  }
}

/** Waits until a child ends, a signal comes, or the time is reached. */
static void await(struct load *l, uint64_t until_ns) {
  int status;
  struct rusage usage;
  uint64_t now = now_ns(), left_ns = until_ns > now ? until_ns - now : 0;
  struct timespec t = {(time_t)(left_ns / NS_PER_S), (long)(left_ns % NS_PER_S)};
  int number = sigtimedwait(&l->signals, NULL, &t);
  if (number == SIGINT || number == SIGTERM) {
    l->interrupted = true;
    hooks_stop_begins(l->watch.hooks);
  }
  for (pid_t pid; (pid = wait4(-1, &status, WNOHANG, &usage)) > 0;)
    bury(l, pid, status, &usage);
}

/** True while the load goes on. If no time is judged, a busy machine gets longer to produce
 * waits. */
static bool goes_on(const struct load *l) {
  return l->settings.functional && !l->interrupted &&
         (l->watch.waiting_most == 0 || atomic_load(&l->crowd.page->waited) < WAITING);
}

static bool is_over(const struct load *l) {
  return l->wrong[0] || (hooks_done(l->watch.hooks) && l->watch.status_pid == 0 && !goes_on(l));
}

static void run(struct load *l) {
  while (!is_over(l)) {
    uint64_t now = now_ns();
    uint64_t next_ns = hooks_start_due(l->watch.hooks, now);
    uint64_t sample_ns = watch_run(&l->watch, now);
    await(l, next_ns < sample_ns ? next_ns : sample_ns);
    if (hooks_done(l->watch.hooks)) { /* the last status command is still awaited */
      l->watch.next_status_ns = l->watch.next_progress_ns = UINT64_MAX;
      if (!goes_on(l))
        l->watch.next_ns = UINT64_MAX;
    }
  }
}

static double measure_idle(struct load *l) {
  if (l->settings.idle_ns == 0)
    return -1;
  fprintf(stderr, "full-node: idle, the agent alone\n");
  sleep_ns(SETTLE_NS);
  uint64_t cpu_ns = cpu_ns_of(l->agent.pid), start_ns = now_ns();
  sleep_ns(l->settings.idle_ns);
  return 100.0 * (double)(cpu_ns_of(l->agent.pid) - cpu_ns) / (double)(now_ns() - start_ns);
}

static void end_jobs(struct load *l) {
  for (uint32_t id = FIRST_STANDING_JOB; id < FIRST_STANDING_JOB + STANDING_JOBS; id++)
    if (schedgpu_admin_job_end(l->node.admin, SCHEDGPU_JOB_SLURM, id) != SCHEDGPU_OK)
      note(l, "a standing job was lost");
}

/** Finds what is left: held memory, known jobs, violated invariants. */
static void find_leftovers(struct load *l) {
  char text[200];
  take_snapshot(&l->watch);
  const struct sg_region *r = l->watch.region;
  for (uint32_t j = 0; j < SCHEDGPU_MAX_JOBS; j++)
    if (r->job[j].state != SG_FREE)
      note(l, "a job is left");
  for (uint32_t d = 0; d < DEVICES; d++)
    if (r->device[d].used_bytes != 0)
      note(l, "memory is left");
  if (schedgpu_admin_check(l->node.admin, text, sizeof text) != SCHEDGPU_OK)
    note(l, text);
}

static void end_all(struct load *l) {
  if (!l->crowd.pid || !crowd_end(&l->crowd))
    note(l, "not every process was served to its end: see processes.log");
  end_jobs(l);
  find_leftovers(l);
  sigprocmask(SIG_UNBLOCK, &l->signals, NULL);
  if (l->agent.pid)
    agent_stop(&l->agent, &l->node);
}

int main(int argc, char **argv) {
  if (!parse(argc, argv, &load.settings)) {
    fprintf(stderr, "usage: full-node [-s] [-t TIME] [-r RATE] [-o FOLDER] [-i IDLE] [-f] [-n]\n");
    return 2;
  }
  prepare(&load);
  load.agent = agent_start_in(load.settings.folder);
  struct watch *w = &load.watch;
  w->idle_percent = measure_idle(&load);
  fprintf(stderr, "full-node: %u processes come\n", MEMBERS);
  load.crowd = crowd_start(&load.settings, &load.node);
  if (!load.settings.functional)
    sleep_ns(SETTLE_NS);
  sigprocmask(SIG_BLOCK, &load.signals, NULL);
  w->settings = &load.settings;
  w->node = &load.node;
  w->agent = &load.agent;
  w->crowd = &load.crowd;
  w->hooks = hooks_new(&load.settings);
  watch_start(w);
  run(&load);
  end_all(&load);
  bool met = verdict(w, load.wrong, load.interrupted);
  hooks_free(w->hooks);
  watch_end(w);
  node_free(&load.node);
  return load.interrupted ? 130 : met ? 0 : 1;
}

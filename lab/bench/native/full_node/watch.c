/*
 * watch.c - samples every second: the cost of the agent, the time of a status command, and the
 * number of waiters.
 */
#include "full_node.h"
#include <dirent.h>
#include <fcntl.h>

#define LOOK_EVERY_NS NS_PER_S
#define PROGRESS_EVERY_NS (10 * NS_PER_S)

static FILE *open_of(pid_t pid, const char *name) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
  return fopen(path, "r");
}

static double rss_mib_of(pid_t pid) {
  unsigned long size, resident = 0;
  FILE *file = open_of(pid, "statm");
  if (!file)
    return 0;
  if (fscanf(file, "%lu %lu", &size, &resident) != 2)
    resident = 0;
  fclose(file);
  return (double)resident * (double)sysconf(_SC_PAGESIZE) / (double)MIB;
}

/** Reads ticks of 10 ms: exact enough over a minute, and they include ended threads. */
uint64_t cpu_ns_of(pid_t pid) {
  unsigned long user = 0, system = 0;
  FILE *file = open_of(pid, "stat");
  if (!file)
    return 0;
  if (fscanf(file, "%*d (%*[^)]) %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user,
             &system) != 2)
    user = system = 0;
  fclose(file);
  return (user + system) * (NS_PER_S / (uint64_t)sysconf(_SC_CLK_TCK));
}

static uint32_t count_waiting(const struct sg_region *r) {
  uint32_t waiting = 0;
  for (uint32_t i = 0; i < SG_SLOTS; i++)
    waiting += r->waiter[i].state == SG_WAITING;
  return waiting;
}

static uint32_t count_jobs(const struct sg_region *r) {
  uint32_t jobs = 0;
  for (uint32_t j = 0; j < SCHEDGPU_MAX_JOBS; j++)
    jobs += r->job[j].state == SG_ACTIVE;
  return jobs;
}

void take_snapshot(struct watch *w) {
  uint64_t start_ns = now_ns();
  int rc = schedgpu_admin_snapshot(w->node->admin, w->region, schedgpu_snapshot_size());
  MUST(rc == SCHEDGPU_OK || rc == SCHEDGPU_ELOCK); /* after ELOCK the last snapshot stays */
  histogram_add(&w->snapshot, now_ns() - start_ns);
}

static void keep(struct watch *w, double at_s, double rss_mib) {
  if (w->count == w->capacity) {
    w->capacity = w->capacity ? 2 * w->capacity : 1024;
    w->rss_mib = realloc(w->rss_mib, w->capacity * sizeof *w->rss_mib);
    w->at_s = realloc(w->at_s, w->capacity * sizeof *w->at_s);
    MUST(w->rss_mib && w->at_s);
  }
  w->rss_mib[w->count] = rss_mib;
  w->at_s[w->count++] = at_s;
}

static void take_sample(struct watch *w, uint64_t now) {
  uint64_t cpu_ns = cpu_ns_of(w->agent->pid);
  double at_s = (double)(now - w->start_ns) / 1e9, rss_mib = rss_mib_of(w->agent->pid);
  double share = 100.0 * (double)(cpu_ns - w->agent_cpu_ns) / (double)(now - w->last_sample_ns);
  take_snapshot(w);
  uint32_t waiting = count_waiting(w->region);
  w->waiting_least = waiting < w->waiting_least ? waiting : w->waiting_least;
  w->waiting_most = waiting > w->waiting_most ? waiting : w->waiting_most;
  keep(w, at_s, rss_mib);
  fprintf(w->csv, "%.1f,%.2f,%.1f,%llu,%llu,%.1f,%u,%u,%.1f\n", at_s, rss_mib, share,
          (unsigned long long)hooks_figures(w->hooks, HOOK_BEGIN)->done,
          (unsigned long long)hooks_figures(w->hooks, HOOK_END)->done,
          (double)hooks_behind_ns(w->hooks, now) / 1e6, count_jobs(w->region), waiting,
          w->last_status_ms);
  w->agent_cpu_ns = cpu_ns;
  w->last_sample_ns = now;
}

/** Runs one command at a time. After a slow command, the next one counts from its planned start. */
static void ask_status(struct watch *w) {
  extern char **environ;
  char *const arguments[] = {(char *)AGENT, "status", "--json", NULL};
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/status.json", w->settings->folder);
  int output = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  MUST(output >= 0);
  w->status_began_ns = w->next_status_ns;
  w->next_status_ns += w->settings->status_every_ns;
  setenv("SCHEDGPU_RUN_DIR", w->node->dir, 1);
  w->status_pid = spawn(AGENT, arguments, environ, output, true);
  unsetenv("SCHEDGPU_RUN_DIR"); /* the hooks find it in their configuration */
  close(output);
}

bool watch_ended(struct watch *w, pid_t pid, int status, uint64_t now) {
  if (pid != w->status_pid)
    return false;
  histogram_add(&w->status, now - w->status_began_ns);
  w->last_status_ms = (double)(now - w->status_began_ns) / 1e6;
  w->status_count++;
  w->status_failed += !WIFEXITED(status) || WEXITSTATUS(status) != 0;
  w->status_pid = 0;
  return true;
}

static void tell(const struct watch *w, uint64_t now) {
  const struct hook_figures *begin = hooks_figures(w->hooks, HOOK_BEGIN),
                            *end = hooks_figures(w->hooks, HOOK_END);
  fprintf(stderr,
          "%5.0f s  begun %llu ended %llu failed %llu  behind %.0f ms  waiting %u  agent %.1f MiB"
          "  status %.0f ms\n",
          (double)(now - w->start_ns) / 1e9, (unsigned long long)begin->done,
          (unsigned long long)end->done, (unsigned long long)(begin->failed + end->failed),
          (double)hooks_behind_ns(w->hooks, now) / 1e6, count_waiting(w->region),
          w->count ? w->rss_mib[w->count - 1] : 0, w->last_status_ms);
}

void watch_start(struct watch *w) {
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/samples.csv", w->settings->folder);
  w->csv = fopen(path, "w");
  w->region = aligned_alloc(64, (schedgpu_snapshot_size() + 63) / 64 * 64);
  MUST(w->csv && w->region);
  fprintf(w->csv, "seconds,agent_mib,agent_cpu_percent,begun,ended,behind_ms,jobs,waiting,"
                  "status_ms\n");
  w->start_ns = w->first_sample_ns = w->last_sample_ns = now_ns();
  w->agent_cpu_ns = w->agent_first_ns = cpu_ns_of(w->agent->pid);
  w->next_ns = w->start_ns + LOOK_EVERY_NS;
  w->next_status_ns = w->start_ns + LOOK_EVERY_NS / 2;
  w->next_progress_ns = w->start_ns + PROGRESS_EVERY_NS;
  w->waiting_least = UINT32_MAX;
}

uint64_t watch_run(struct watch *w, uint64_t now) {
  if (now >= w->next_ns) {
    take_sample(w, now);
    w->next_ns += LOOK_EVERY_NS;
  }
  if (now >= w->next_progress_ns) {
    tell(w, now);
    w->next_progress_ns += PROGRESS_EVERY_NS;
  }
  if (w->status_pid == 0 && now >= w->next_status_ns)
    ask_status(w);
  uint64_t next_ns = w->next_ns < w->next_progress_ns ? w->next_ns : w->next_progress_ns;
  return w->status_pid == 0 && w->next_status_ns < next_ns ? w->next_status_ns : next_ns;
}

void watch_end(struct watch *w) {
  fclose(w->csv);
  free(w->region);
  free(w->rss_mib);
  free(w->at_s);
}

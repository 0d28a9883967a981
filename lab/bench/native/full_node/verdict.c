/* verdict.c - the table at the end: the results beside their limits. */
#include "full_node.h"

#define RATE_SHARE 0.99
#define BEHIND_MS 1000.0 /* a hook that starts later than this counts as fallen behind */
#define STATUS_MS 500.0
#define RSS_MIB 80.0
#define IDLE_PERCENT 0.5
/* of memory, in the second half; judged for runs of ten minutes or more */
#define SLOPE_MIB_PER_H 1.0
#define SLOPE_TIME_NS (1800 * (int64_t)NS_PER_S) /* a shorter run still fills the code cache */

struct table {
  FILE *text, *json;
  bool met, timed;
};

static void row(struct table *t, const char *name, const char *unit, double value,
                const char *limit, bool judged, bool met) {
  const char *mark = !judged ? "-" : met ? "PASS" : "FAIL";
  for (int i = 0; i < 2; i++)
    fprintf(i ? t->text : stdout, "%-40s %10.*f %-7s %-10s %s\n", name,
            value >= 1000 || value == (double)(int64_t)value ? 0 : 2, value, unit, limit, mark);
  fprintf(t->json,
          ",\n {\"name\": \"%s\", \"unit\": \"%s\", \"value\": %.3f, \"limit\": \"%s\", "
          "\"met\": %s}",
          name, unit, value, limit, judged ? met ? "true" : "false" : "null");
  t->met = t->met && (!judged || met);
}

static void fact(struct table *t, const char *name, const char *unit, double value) {
  row(t, name, unit, value, "", false, true);
}

/** Adds a row with an upper limit, which applies only if times are judged. */
static void most(struct table *t, const char *name, const char *unit, double value, double limit,
                 bool judged) {
  char text[32];
  snprintf(text, sizeof text, "<= %g", limit);
  row(t, name, unit, value, text, judged && t->timed, value <= limit);
}

static void same(struct table *t, const char *name, double value, double wanted) {
  char text[32];
  snprintf(text, sizeof text, "= %.0f", wanted);
  row(t, name, "", value, text, true, value == wanted);
}

/** The slope by least squares over the second half. */
static double slope_mib_per_h(const struct watch *w) {
  double n = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (size_t i = w->count / 2; i < w->count; i++) {
    n++;
    x += w->at_s[i];
    y += w->rss_mib[i];
    xx += w->at_s[i] * w->at_s[i];
    xy += w->at_s[i] * w->rss_mib[i];
  }
  double below = n * xx - x * x;
  return n < 3 || below <= 0 ? 0 : (n * xy - x * y) / below * 3600;
}

static void hooks_rows(struct table *t, const struct watch *w) {
  static const char *const names[HOOKS] = {"start of a job (prolog)", "end of a job (epilog)"};
  bool judged = !w->settings->soak;
  char name[64];
  for (int i = 0; i < HOOKS; i++) {
    const struct hook_figures *f = hooks_figures(w->hooks, (enum hook)i);
    snprintf(name, sizeof name, "%s, asked", names[i]);
    same(t, name, (double)f->done, (double)hooks_asked(w->hooks));
    snprintf(name, sizeof name, "%s, failed", names[i]);
    same(t, name, (double)f->failed, 0);
    snprintf(name, sizeof name, "%s, late p50", names[i]);
    fact(t, name, "ms", histogram_ms(&f->late, 50));
    snprintf(name, sizeof name, "%s, late p99", names[i]);
    fact(t, name, "ms", histogram_ms(&f->late, 99));
    snprintf(name, sizeof name, "%s, late most", names[i]);
    most(t, name, "ms", histogram_ms(&f->late, 100), BEHIND_MS, judged);
    snprintf(name, sizeof name, "%s, took p50", names[i]);
    fact(t, name, "ms", histogram_ms(&f->took, 50));
    snprintf(name, sizeof name, "%s, took p99", names[i]);
    fact(t, name, "ms", histogram_ms(&f->took, 99));
    snprintf(name, sizeof name, "%s, CPU each", names[i]);
    fact(t, name, "ms", f->done ? (double)f->cpu_ns / 1e6 / (double)f->done : 0);
  }
}

static double lines_in(const struct watch *w, const char *name) {
  char path[PATH_MAX];
  double lines = 0;
  snprintf(path, sizeof path, "%s/%s", w->settings->folder, name);
  FILE *file = fopen(path, "r");
  for (int c = file ? getc(file) : EOF; c != EOF; c = getc(file))
    lines += c == '\n';
  if (file)
    fclose(file);
  return lines;
}

static void rate_row(struct table *t, const struct watch *w, double seconds) {
  double rate = (double)hooks_figures(w->hooks, HOOK_END)->done / seconds;
  double least = RATE_SHARE * w->settings->rate;
  char text[32];
  snprintf(text, sizeof text, ">= %g", least);
  row(t, "starts a second, and as many ends", "/s", rate, text, t->timed, rate >= least);
}

static void status_rows(struct table *t, const struct watch *w) {
  fact(t, "status, asked", "", (double)w->status_count);
  same(t, "status, failed", (double)w->status_failed, 0);
  fact(t, "status, whole command p50", "ms", histogram_ms(&w->status, 50));
  fact(t, "status, whole command p99", "ms", histogram_ms(&w->status, 99));
  most(t, "status, whole command most", "ms", histogram_ms(&w->status, 100), STATUS_MS,
       !w->settings->soak);
  fact(t, "status, the snapshot alone p99", "ms", histogram_ms(&w->snapshot, 99));
}

static void agent_rows(struct table *t, const struct watch *w) {
  double least = 1e9, greatest = 0;
  for (size_t i = 0; i < w->count; i++) {
    least = w->rss_mib[i] < least ? w->rss_mib[i] : least;
    greatest = w->rss_mib[i] > greatest ? w->rss_mib[i] : greatest;
  }
  fact(t, "agent, memory least", "MiB", w->count ? least : 0);
  most(t, "agent, memory most", "MiB", greatest, RSS_MIB, true);
  most(t, "agent, memory slope, second half", "MiB/h", slope_mib_per_h(w), SLOPE_MIB_PER_H,
       w->settings->time_ns >= SLOPE_TIME_NS);
  double span_ns = (double)(w->last_sample_ns - w->first_sample_ns);
  fact(t, "agent, share of a CPU", "%",
       span_ns > 0 ? 100.0 * (double)(w->agent_cpu_ns - w->agent_first_ns) / span_ns : 0);
  if (w->idle_percent >= 0)
    most(t, "agent, share of a CPU before, idle", "%", w->idle_percent, IDLE_PERCENT, true);
}

static void crowd_rows(struct table *t, const struct watch *w) {
  const struct crowd_page *page = w->crowd->page;
  fact(t, "processes that wait, least", "", w->count ? w->waiting_least : 0);
  fact(t, "processes that wait, most", "", w->waiting_most);
  fact(t, "turns taken", "", (double)atomic_load(&page->turns));
  fact(t, "waits served", "", (double)atomic_load(&page->waited));
  fact(t, "processes killed", "", (double)atomic_load(&page->deaths));
  most(t, "requests that did not get the lock", "", (double)atomic_load(&page->locked_out), 0,
       true);
  same(t, "processes that failed", atomic_load(&page->failed), 0);
}

static FILE *open_in(const struct watch *w, const char *name) {
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/%s", w->settings->folder, name);
  FILE *file = fopen(path, "w");
  MUST(file);
  return file;
}

/** The duration: a run that fell behind continues until all jobs are done. */
static double seconds_of(const struct watch *w) {
  uint64_t meant_ns = w->settings->time_ns, took_ns = w->last_sample_ns - w->start_ns;
  return (double)(took_ns > meant_ns ? took_ns : meant_ns) / 1e9;
}

bool verdict(const struct watch *w, const char *wrong, bool interrupted) {
  double seconds = seconds_of(w);
  struct table t = {open_in(w, "full-node.txt"), open_in(w, "result.json"), true,
                    !w->settings->functional && !interrupted};
  fprintf(t.json, "[{\"name\": \"gpu\", \"value\": \"emulated\"}");
  for (int i = 0; i < 2; i++)
    fprintf(i ? t.text : stdout,
            "\n%u emulated devices, %u processes of which %u wait, %u starts and ends a second, "
            "%s\n\n",
            DEVICES, MEMBERS, WAITING, w->settings->rate, w->settings->time_text);
  rate_row(&t, w, seconds);
  hooks_rows(&t, w);
  same(&t, "lines that hooks wrote (hooks.log)", lines_in(w, "hooks.log"), 0);
  status_rows(&t, w);
  agent_rows(&t, w);
  crowd_rows(&t, w);
  row(&t, "left or wrong at the end", "", *wrong ? 1 : 0, "= 0", true, !*wrong);
  for (int i = 0; i < 2; i++)
    fprintf(i ? t.text : stdout, "\n%s%s%s\n", *wrong ? "at the end: " : "", wrong,
            interrupted ? "interrupted: no time was judged"
            : t.met     ? "PASS"
                        : "FAIL");
  fprintf(t.json, "]\n");
  fclose(t.text);
  fclose(t.json);
  return t.met;
}

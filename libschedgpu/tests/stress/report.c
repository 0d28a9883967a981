/* report.c - prints the result, and keeps the evidence of a failure. */
#include "controller.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PROGRESS_EVERY_NS UINT64_C(5000000000)

static double seconds(const struct controller *t) {
  return (double)(now_ns() - t->start_ns) / 1e9;
}

static unsigned long long tally(const struct controller *t, enum tally which) {
  return (unsigned long long)page_tally(t->page, which);
}

void report_head(const struct controller *t, const char *goal, const char *no_namespaces) {
  printf("stress: %s, %u workers, %u devices, SG_SEED=%llu\n", goal, WORKERS, DEVICES,
         (unsigned long long)t->page->seed);
  if (t->page->single)
    printf("stress: with this seed every job has one device\n");
  if (t->page->namespaces)
    printf("stress: every other worker has a PID namespace of its own\n");
  else
    printf("stress: WITHOUT PID namespaces: %s\n", no_namespaces);
  fflush(stdout);
}

void report_progress(struct controller *t, bool at_once) {
  static uint64_t last_ns;
  bool terminal = isatty(STDOUT_FILENO);
  uint64_t now = now_ns(), every = terminal ? PROGRESS_EVERY_NS / 10 : PROGRESS_EVERY_NS;
  if (!at_once && now - last_ns < every)
    return;
  last_ns = now;
  printf("%sstress: %5.0f s, %llu lives, %llu kills, %llu waits, %llu quiet phases, %llu checks%s",
         terminal ? "\r" : "", seconds(t), tally(t, TALLY_LIVES), tally(t, TALLY_KILLS),
         tally(t, TALLY_WAITS), tally(t, TALLY_QUIETS), tally(t, TALLY_CHECKS),
         terminal && !at_once ? "  " : "\n");
  fflush(stdout);
}

static void row(const char *name, unsigned long long value) {
  printf("  %-22s %12llu\n", name, value);
}

void report_table(struct controller *t) {
  static const char *const names[TALLIES] = {
      [TALLY_LIVES] = "lives",
      [TALLY_KILLS] = "kills",
      [TALLY_STORE_DEATHS] = "deaths at a store",
      [TALLY_STOPS] = "stops",
      [TALLY_SIGNALS] = "signals",
      [TALLY_FORKS] = "forks",
      [TALLY_EXECS] = "execs",
      [TALLY_THREADS] = "threads",
      [TALLY_JOBS] = "jobs",
      [TALLY_POLICIES] = "policies",
      [TALLY_WAITS] = "waits",
      [TALLY_TIMEOUTS] = "time-outs",
      [TALLY_DEADLOCKS] = "deadlocks refused",
      [TALLY_BUSY] = "lock not had",
      [TALLY_QUIETS] = "quiet phases",
      [TALLY_CHECKS] = "checks",
  };
  const struct sg_header *h = &t->snapshot->h;
  if (!t->snapshot_tells)
    schedgpu_admin_snapshot(t->admin, t->snapshot, schedgpu_snapshot_size());
  printf("  %-22s %12.1f\n", "seconds", seconds(t));
  for (int i = 0; i < TALLIES; i++)
    row(names[i], tally(t, (enum tally)i));
  row("takeovers", h->recoveries);
  row("reaped", h->reaped_clients);
  row("grants", h->grants);
  row("unsteady looks", t->unsteady);
}

/* --- the dump --- */

static void dump_devices(FILE *f, const struct sg_region *r) {
  const struct sg_header *h = &r->h;
  fprintf(f, "lock %08x seq %llu policy %s recoveries %llu reaped %llu grants %llu ticket %llu\n",
          (unsigned)h->lock, (unsigned long long)h->seq, schedgpu_policy_name(h->policy),
          (unsigned long long)h->recoveries, (unsigned long long)h->reaped_clients,
          (unsigned long long)h->grants, (unsigned long long)h->ticket);
  for (uint32_t d = 0; d < DEVICES; d++)
    fprintf(f, "device %u: total %llu used %llu contexts %llu waiting %u memory, %u context\n", d,
            (unsigned long long)r->device[d].total_bytes,
            (unsigned long long)r->device[d].used_bytes,
            (unsigned long long)r->device[d].context_used_bytes, r->device[d].waiting[0],
            r->device[d].waiting[1]);
}

static void dump_jobs(FILE *f, const struct sg_region *r) {
  for (uint32_t j = 0; j < SCHEDGPU_MAX_JOBS; j++) {
    const struct sg_job *job = &r->job[j];
    if (job->state == SG_FREE)
      continue;
    fprintf(f, "job %u: id %llx state %u mode %u mask %x held %x admitted %u priority %d", j,
            (unsigned long long)job->id, job->state, job->mode, job->device_mask, job->held_mask,
            job->admitted, job->priority);
    for (uint32_t d = 0; d < DEVICES; d++)
      fprintf(f, " budget%u %llu", d, (unsigned long long)job->budget_bytes[d]);
    fprintf(f, "\n");
  }
}

static void dump_clients(FILE *f, const struct sg_region *r) {
  for (uint32_t i = 0; i < SG_SLOTS; i++) {
    const struct sg_client *c = &r->client[i];
    if (c->state == SG_FREE)
      continue;
    fprintf(f, "client %u: pid %d ns %llu state %u gen %u agen %u job %d", i, c->pid,
            (unsigned long long)c->pid_namespace, c->state, c->gen, c->agen, (int)c->job);
    for (uint32_t d = 0; d < DEVICES; d++)
      fprintf(f, " lease%u %llu/%llu ctx%u %llu", d, (unsigned long long)(c->lease[d] & UINT32_MAX),
              (unsigned long long)(c->lease[d] >> 32), d, (unsigned long long)c->contexts[d]);
    fprintf(f, "\n");
  }
  for (uint32_t i = 0; i < SG_SLOTS; i++) {
    const struct sg_waiter *w = &r->waiter[i];
    if (w->state != SG_WAITER_FREE)
      fprintf(f,
              "waiter %u: state %u client %u job %u device %u mask %x kind %u priority %d ticket "
              "%llu bytes %llu overtaken %u\n",
              i, w->state, w->client, w->job, w->device, w->device_mask, w->kind, w->priority,
              (unsigned long long)w->ticket, (unsigned long long)w->bytes, w->overtaken);
  }
}

static void dump_entries(FILE *f, const struct page *p) {
  for (uint32_t i = 0; i < ENTRIES; i++) {
    const struct entry *s = &p->entry[i];
    if (s->who == 0)
      continue;
    fprintf(
        f,
        "entry %u: pid %d (own %d) leader %u namespace %d state %llu job %llx will_die %u parked "
        "%u calls %u endless %u",
        i, who_pid(s->who), s->own_pid, who_leader(s->who), who_in_namespace(s->who),
        (unsigned long long)s->state, (unsigned long long)s->job, s->will_die, s->parked, s->calls,
        s->endless);
    for (uint32_t d = 0; d < DEVICES; d++)
      fprintf(f, " mem%u %llu ctx%u %llu", d,
              (unsigned long long)held_bytes(s->mem[d]) / UNIT_BYTES, d,
              (unsigned long long)held_bytes(s->ctx[d]));
    fprintf(f, "\n");
  }
}

static void dump(FILE *f, struct controller *t) {
  fprintf(f, "%s\nSG_SEED=%llu, after %.1f s, phase %u (number %u)\n", t->page->failure,
          (unsigned long long)t->page->seed, seconds(t), t->page->phase, t->page->phase_number);
  fprintf(f, "memory of clients: units of 512 bytes in use/leased; of entries: units\n");
  int rc = SCHEDGPU_OK;
  if (!t->snapshot_tells)
    rc = schedgpu_admin_snapshot(t->admin, t->snapshot, schedgpu_snapshot_size());
  if (rc != SCHEDGPU_OK)
    fprintf(f, "the region cannot be read any more (%s); this is the last snapshot\n",
            schedgpu_error_name(rc));
  dump_devices(f, t->snapshot);
  dump_jobs(f, t->snapshot);
  dump_clients(f, t->snapshot);
  dump_entries(f, t->page);
}

static FILE *create(const char *folder, uint64_t seed, char *path, size_t size) {
  snprintf(path, size, "%s/%llu.txt", folder, (unsigned long long)seed);
  if (mkdir(folder, 0777) != 0 && errno != EEXIST)
    return NULL;
  return fopen(path, "we");
}

void report_failure(struct controller *t, const char *folder) {
  char path[300];
  while (atomic_load(&t->page->failed) == 1) /* its words are still being written */
    nap_us(1000);
  printf("stress: FAILED: %s\nstress: again: SG_SEED=%llu\n", t->page->failure,
         (unsigned long long)t->page->seed);
  FILE *f = create(folder, t->page->seed, path, sizeof path);
  if (!f) {
    printf("stress: cannot write %s: %s\n", path, strerror(errno));
    return;
  }
  dump(f, t);
  fclose(f);
  printf("stress: region and processes: %s\n", path);
}

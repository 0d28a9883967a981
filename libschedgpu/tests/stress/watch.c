/* watch.c - checks the invariants, at every instant and at rest. */
#include "controller.h"
#include <stdio.h>
#include <string.h>

#define LOOKS 200

struct sample {
  uint64_t who, state, job, mem[DEVICES], ctx[DEVICES];
};

static void take_sample(const struct page *p, struct sample *samples) {
  memset(samples, 0, ENTRIES * sizeof *samples);
  for (uint32_t i = 0; i < ENTRIES; i++) {
    const struct entry *s = &p->entry[i];
    struct sample *at = &samples[i];
    at->who = atomic_load(&s->who);
    if (at->who == 0)
      continue;
    at->state = atomic_load(&s->state);
    at->job = atomic_load(&s->job);
    for (uint32_t d = 0; d < DEVICES; d++) {
      at->mem[d] = atomic_load(&s->mem[d]);
      at->ctx[d] = atomic_load(&s->ctx[d]);
    }
  }
}

/** Two equal samples: then all of it was true at one instant between them. Each word counts its
 * changes, so a change and its reversal are not equal. */
static bool sample_at_once(struct controller *t, struct sample *samples) {
  struct sample before[ENTRIES];
  for (int i = 0; i < LOOKS; i++) {
    take_sample(t->page, before);
    take_sample(t->page, samples);
    if (memcmp(before, samples, sizeof before) == 0)
      return true;
  }
  t->unsteady++;
  return false;
}

/** Called after the sample: if no process has begun to end this process or its job until now, it
 * lived and held memory then (page.h). */
static bool counts(const struct page *p, uint32_t entry, const struct sample *at) {
  if (at->who == 0 || at->state != ENTRY_LIVE || !job_runs(p, at->job) ||
      atomic_load(&p->entry[entry].will_die))
    return false;
  if (entry < WORKERS || !who_in_namespace(at->who))
    return true;
  const struct entry *leader = &p->entry[who_leader(at->who)];
  return !atomic_load(&leader->will_die) && atomic_load(&leader->state) != ENTRY_GONE;
}

static void check_device(struct controller *t, const struct sample *samples, uint32_t d) {
  uint64_t sum = 0, of_place[16] = {0};
  for (uint32_t i = 0; i < ENTRIES; i++) {
    if (!counts(t->page, i, &samples[i]))
      continue;
    sum += held_bytes(samples[i].mem[d]) + held_bytes(samples[i].ctx[d]);
    if (!job_is_own(samples[i].job))
      of_place[job_place(samples[i].job)] += held_bytes(samples[i].mem[d]);
  }
  if (sum > DEVICE_BYTES)
    page_fail(t->page, "device %u is overcommitted: the living hold %llu of %llu bytes", d,
              (unsigned long long)sum, (unsigned long long)DEVICE_BYTES);
  for (uint32_t i = 0; i < PLACES; i++) {
    uint64_t budget = atomic_load(&t->page->place[i].budget_bytes[d]);
    if (budget > 0 && of_place[i] > budget)
      page_fail(t->page, "job %llx holds %llu bytes of device %u; its budget is %llu",
                (unsigned long long)atomic_load(&t->page->place[i].job),
                (unsigned long long)of_place[i], d, (unsigned long long)budget);
  }
}

void watch_devices(struct controller *t) {
  struct sample samples[ENTRIES];
  if (!sample_at_once(t, samples))
    return;
  for (uint32_t d = 0; d < DEVICES; d++)
    check_device(t, samples, d);
  page_count(t->page, TALLY_CHECKS);
}

/** Sums what the region accounts for the process. It has several records only if its namespace's
 * number was used before. */
static void sum_records(const struct sg_region *r, const struct entry *s, uint32_t d, uint64_t *mem,
                        uint64_t *ctx) {
  *mem = *ctx = 0;
  for (uint32_t i = 0; i < SG_SLOTS; i++) {
    const struct sg_client *c = &r->client[i];
    if (c->state != SG_ACTIVE || c->pid != atomic_load(&s->own_pid) ||
        c->pid_namespace != atomic_load(&s->pid_namespace))
      continue;
    *mem += (c->lease[d] & UINT32_MAX) * SG_UNIT_BYTES;
    *ctx += c->contexts[d];
  }
}

static void check_accounted(struct controller *t, uint32_t entry, const struct sample *at,
                            uint32_t d) {
  uint64_t mem, ctx;
  sum_records(t->snapshot, &t->page->entry[entry], d, &mem, &ctx);
  if (held_bytes(at->mem[d]) > mem || held_bytes(at->ctx[d]) > ctx)
    page_fail(t->page,
              "entry %u (pid %d), job %llx holds %llu bytes and contexts of %llu on device %u; the "
              "region accounts for %llu and %llu",
              entry, who_pid(at->who), (unsigned long long)at->job,
              (unsigned long long)held_bytes(at->mem[d]),
              (unsigned long long)held_bytes(at->ctx[d]), d, (unsigned long long)mem,
              (unsigned long long)ctx);
}

/** A process that changed nothing while the region was copied held that much then. */
static void check_conservation(struct controller *t) {
  struct sample before[ENTRIES], after[ENTRIES];
  take_sample(t->page, before);
  int rc = schedgpu_admin_snapshot(t->admin, t->snapshot, schedgpu_snapshot_size());
  take_sample(t->page, after);
  if (rc == SCHEDGPU_ELOCK)
    return;
  if (rc != SCHEDGPU_OK)
    page_fail(t->page, "snapshot answered %s", schedgpu_error_name(rc));
  for (uint32_t i = 0; i < ENTRIES; i++)
    if (memcmp(&before[i], &after[i], sizeof before[i]) == 0 && counts(t->page, i, &after[i]))
      for (uint32_t d = 0; d < DEVICES; d++)
        check_accounted(t, i, &after[i], d);
}

void watch_region(struct controller *t) {
  char text[200] = "";
  int rc = schedgpu_admin_check(t->admin, text, sizeof text);
  if (rc == SCHEDGPU_ELOCK)
    page_count(t->page, TALLY_BUSY);
  else if (rc != SCHEDGPU_OK)
    page_fail(t->page, "invariant broken (%s): %s", schedgpu_error_name(rc), text);
  else
    page_count(t->page, TALLY_CHECKS);
  check_conservation(t);
}

void watch_progress(struct controller *t, const char *where) {
  uint64_t progress = atomic_load(&t->page->progress), now = now_ns();
  if (progress != t->progress) {
    t->progress = progress;
    t->progress_ns = now;
  } else if (now - t->progress_ns > HANG_NS) {
    page_fail(t->page, "hang: nobody has got anything done for %llu s (%s)",
              (unsigned long long)(HANG_NS / 1000000000), where);
  }
}

static bool client_holds(const struct sg_client *c) {
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++)
    if ((c->lease[d] & UINT32_MAX) != 0 || c->contexts[d] != 0)
      return true;
  return false;
}

static bool nothing_held(const struct sg_region *r, char *text, size_t size) {
  for (uint32_t i = 0; i < SG_SLOTS; i++)
    if (r->client[i].state == SG_ACTIVE && client_holds(&r->client[i])) {
      snprintf(text, size, "client %u (pid %d) is still accounted for something", i,
               r->client[i].pid);
      return false;
    }
  for (uint32_t i = 0; i < SG_SLOTS; i++)
    if (r->waiter[i].state != SG_WAITER_FREE) {
      snprintf(text, size, "waiter %u is still there, in state %u", i, r->waiter[i].state);
      return false;
    }
  return true;
}

bool watch_nothing_held(struct controller *t, char *text, size_t size) {
  int rc = schedgpu_admin_reap(t->admin, NULL);
  if (rc == SCHEDGPU_OK)
    rc = schedgpu_admin_snapshot(t->admin, t->snapshot, schedgpu_snapshot_size());
  if (rc == SCHEDGPU_OK)
    return nothing_held(t->snapshot, text, size);
  snprintf(text, size, "the region cannot be reaped: %s", schedgpu_error_name(rc));
  return false;
}

void watch_end(struct controller *t) {
  const struct sg_region *r = t->snapshot;
  uint32_t clients = 0;
  if (schedgpu_admin_snapshot(t->admin, t->snapshot, schedgpu_snapshot_size()) != SCHEDGPU_OK)
    page_fail(t->page, "at the end: no snapshot");
  for (uint32_t d = 0; d < DEVICES; d++)
    if (r->device[d].used_bytes != 0)
      page_fail(t->page, "at the end: %llu bytes of device %u are used",
                (unsigned long long)r->device[d].used_bytes, d);
  for (uint32_t j = 0; j < SCHEDGPU_MAX_JOBS; j++)
    if (r->job[j].state != SG_FREE)
      page_fail(t->page, "at the end: job %llx is still there", (unsigned long long)r->job[j].id);
  for (uint32_t i = 0; i < SG_SLOTS; i++)
    clients += r->client[i].state != SG_FREE;
  if (clients != 1) /* this handle's own client */
    page_fail(t->page, "at the end: %u clients are still there", clients);
}

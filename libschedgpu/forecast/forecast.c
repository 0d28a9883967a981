/*
 * forecast.c - runs a copy of the region ahead of time; see include/schedgpu/forecast.h. The copy
 * changes by the core's own transitions. Every grant is taken at once, as the waiting process
 * would, and a process in mode `peak` that got its context asks for its budget.
 */
#include "forecast.h"
#include <string.h>
#include <sys/mman.h>

static bool is_of_this_layout(const struct sg_region *r) {
  return r->h.magic == SG_MAGIC && r->h.version == SG_LAYOUT_VERSION &&
         r->h.stamp == sg_layout_stamp();
}

int schedgpu_forecast_open(const void *snapshot, uint64_t size, schedgpu_forecast **forecast) {
  *forecast = NULL;
  if (size != sizeof(struct sg_region) || !is_of_this_layout(snapshot))
    return SCHEDGPU_EVERSION;
  /*
   * Zeroed memory; untouched pages cost nothing. Ended jobs are not copied, as a forecast does not
   * need them.
   */
  schedgpu_forecast *f =
      mmap(NULL, sizeof *f, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (f == MAP_FAILED)
    return SCHEDGPU_ESYSTEM;
  memcpy(&f->region, snapshot, offsetof(struct sg_region, ended));
  sg_recount(&f->region); /* a region that users can write may hold wrong sums */
  for (uint32_t i = 0; i < SG_SLOTS; i++)
    f->origin[i] = f->region.waiter[i].ticket;
  *forecast = f;
  return SCHEDGPU_OK;
}

void schedgpu_forecast_close(schedgpu_forecast *forecast) {
  if (forecast)
    munmap(forecast, sizeof *forecast);
}

uint32_t sg_forecast_find(const schedgpu_forecast *f, uint64_t ticket) {
  for (uint32_t i = 0; i < sg_clients_end(&f->region); i++)
    if (f->region.waiter[i].state == SG_WAITING && f->origin[i] == ticket)
      return i;
  return SG_NONE;
}

int schedgpu_forecast_waits(const schedgpu_forecast *f, uint64_t ticket) {
  return sg_forecast_find(f, ticket) != SG_NONE;
}

/**
 * Notes that a request has stopped waiting, which happens once. In a damaged region some may be
 * lost.
 */
static void note_left(schedgpu_forecast *f, uint64_t ticket) {
  if (f->left_count < SG_SLOTS)
    f->left[f->left_count++] = ticket;
}

uint32_t schedgpu_forecast_left(schedgpu_forecast *f, uint64_t *tickets, uint32_t max) {
  uint32_t n = f->left_count < max ? f->left_count : max;
  f->left_count -= n;
  memcpy(tickets, &f->left[f->left_count], n * sizeof *tickets);
  return n;
}

/** Lets a program that got its context ask for its budget, as its first allocation would. */
static void ask_for_budget(schedgpu_forecast *f, uint32_t slot, uint32_t device, uint64_t origin,
                           uint64_t now_ns) {
  struct sg_region *r = &f->region;
  uint32_t waiter;
  struct sg_request q = {.client = slot,
                         .device = device,
                         .bytes = SG_UNIT_BYTES,
                         .may_wait = true,
                         .deadline_ns = SG_NO_DEADLINE};
  f->wakes.count = 0;
  sg_ask(r, &q, now_ns, &waiter, &f->wakes);
  if (waiter != SG_NONE)
    f->origin[waiter] = origin;
  else
    note_left(f, origin);
}

static bool wants_budget(const struct sg_region *r, const struct sg_waiter *w) {
  uint32_t job = sg_waiter_job(r, w);
  return w->kind == SG_CONTEXT && job != SG_NONE && r->job[job].mode == SCHEDGPU_MODE_PEAK &&
         r->job[job].held_mask == 0;
}

static void take(schedgpu_forecast *f, uint32_t index, uint64_t now_ns) {
  struct sg_region *r = &f->region;
  const struct sg_waiter w = r->waiter[index];
  bool asks_on = wants_budget(r, &w);
  f->wakes.count = 0;
  int rc = sg_settle(r, index, w.ticket, now_ns, &f->wakes);
  if (rc == SCHEDGPU_ENOJOB || rc == SCHEDGPU_EINVAL || rc == SCHEDGPU_ECORRUPT)
    atomic_store(&r->waiter[index].state, SG_WAITER_FREE); /* only in a damaged region */
  if (asks_on && rc == SCHEDGPU_OK)
    ask_for_budget(f, index, sg_waiter_device(&w), f->origin[index], now_ns);
  else
    note_left(f, f->origin[index]);
}

static uint32_t first_granted(const struct sg_region *r) {
  for (uint32_t i = 0; i < sg_clients_end(r); i++)
    if (r->waiter[i].state == SG_GRANTED)
      return i;
  return SG_NONE;
}

/**
 * Takes all grants. Each iteration frees a record, and each record can ask once more; the bound is
 * for damaged regions.
 */
static void take_all(schedgpu_forecast *f, uint64_t now_ns) {
  for (uint32_t i = 0; i < 2 * SG_SLOTS; i++) {
    uint32_t index = first_granted(&f->region);
    if (index == SG_NONE)
      return;
    take(f, index, now_ns);
  }
}

int schedgpu_forecast_end(schedgpu_forecast *f, uint32_t kind, uint64_t job_id, uint64_t now_ns) {
  struct sg_region *r = &f->region;
  uint32_t job = sg_job_find(r, kind, job_id);
  if (job == SG_NONE)
    return SCHEDGPU_ENOJOB;
  for (uint32_t i = 0; i < sg_clients_end(r); i++)
    if (r->waiter[i].state != SG_WAITER_FREE && r->waiter[i].job == job)
      note_left(f, f->origin[i]);
  f->wakes.count = 0;
  sg_job_end_in_copy(r, job, now_ns, &f->wakes);
  take_all(f, now_ns);
  return SCHEDGPU_OK;
}

int schedgpu_forecast_give_up(schedgpu_forecast *f, uint64_t ticket, uint64_t now_ns) {
  struct sg_region *r = &f->region;
  uint32_t index = sg_forecast_find(f, ticket);
  if (index == SG_NONE)
    return SCHEDGPU_ENOJOB;
  note_left(f, ticket);
  f->wakes.count = 0;
  sg_settle(r, index, ticket, now_ns, &f->wakes);
  take_all(f, now_ns);
  return SCHEDGPU_OK;
}

void schedgpu_forecast_pass(schedgpu_forecast *f, uint64_t now_ns) {
  f->wakes.count = 0;
  sg_serve(&f->region, now_ns, &f->wakes);
  take_all(f, now_ns);
}

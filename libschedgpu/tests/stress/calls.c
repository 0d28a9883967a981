/* calls.c - the calls of schedgpu.h: what they may answer, and what is held after them. */
#include "worker.h"

static void enter_library(struct worker *w, bool endless) {
  atomic_fetch_add(&w->entry->endless, endless);
  atomic_fetch_add(&w->entry->calls, 1);
}

static void leave_library(struct worker *w, bool endless) {
  atomic_fetch_sub(&w->entry->calls, 1);
  atomic_fetch_sub(&w->entry->endless, endless);
  atomic_fetch_add_explicit(&w->page->progress, 1, memory_order_relaxed);
}

/** True if the job has ended, or may have: a job whose owner is another process ends with its last
 * client, so also by a detach. */
static bool may_be_gone(const struct worker *w) {
  return !job_runs(w->page, w->job) || (job_is_own(w->job) && !w->admin) ||
         atomic_load(&w->entry->state) != ENTRY_LIVE;
}

/** True if the documentation allows this answer to a request. */
static bool allowed(const struct worker *w, int rc, int64_t timeout_ns, bool memory) {
  bool timed = timeout_ns > 0 || timeout_ns == SCHEDGPU_JOB_WAIT;
  switch (rc) {
  case SCHEDGPU_OK:
    return true;
  case SCHEDGPU_EWOULDBLOCK:
    return timeout_ns == SCHEDGPU_NO_WAIT;
  case SCHEDGPU_ETIMEDOUT:
    return timed;
  case SCHEDGPU_EBUDGET:
    return memory && job_has_budget(w->job);
  case SCHEDGPU_EDEADLOCK:
    return memory && !job_is_peak(w->job) && timeout_ns != SCHEDGPU_NO_WAIT;
  case SCHEDGPU_ELOCK: /* the holder was stopped for seconds; only on a very slow machine */
    return timeout_ns != SCHEDGPU_FOREVER;
  case SCHEDGPU_ENOJOB:
    return may_be_gone(w);
  case SCHEDGPU_ETOOBIG:
    /* largest_request() and the budgets leave room for four contexts; a job may have more */
    return memory || job_has_budget(w->job);
  default:
    return false;
  }
}

static void unexpected(struct worker *w, const char *call, int rc, int64_t timeout_ns) {
  page_fail(w->page, "entry %u, pid %d, job %llx: %s (time-out %lld ns) answered %s", w->index,
            (int)atomic_load(&w->entry->own_pid), (unsigned long long)w->job, call,
            (long long)timeout_ns, schedgpu_error_name(rc));
}

static bool judge(struct worker *w, const char *call, int rc, int64_t timeout_ns, bool memory) {
  if (!allowed(w, rc, timeout_ns, memory))
    unexpected(w, call, rc, timeout_ns);
  if (rc == SCHEDGPU_ETIMEDOUT)
    page_count(w->page, TALLY_TIMEOUTS);
  if (rc == SCHEDGPU_EDEADLOCK)
    page_count(w->page, TALLY_DEADLOCKS);
  if (rc == SCHEDGPU_ENOJOB)
    atomic_store(&w->lost, true);
  return rc == SCHEDGPU_OK;
}

bool call_reserve(struct worker *w, struct dice *dice, uint32_t ordinal, uint64_t bytes,
                  int64_t timeout_ns) {
  bool endless = timeout_ns == SCHEDGPU_FOREVER;
  enter_library(w, endless);
  int rc = schedgpu_reserve((int)ordinal, bytes, timeout_ns);
  if (rc == SCHEDGPU_OK)
    hold(&w->entry->mem[w->device[ordinal]], bytes);
  leave_library(w, endless);
  if (dice_one_in(dice, 8))
    nap_us(dice_below(dice, 300));
  return judge(w, "reserve", rc, timeout_ns, true);
}

void call_release(struct worker *w, uint32_t ordinal, uint64_t bytes) {
  let_go(&w->entry->mem[w->device[ordinal]], bytes);
  enter_library(w, false);
  int rc = schedgpu_release((int)ordinal, bytes);
  leave_library(w, false);
  if (rc != SCHEDGPU_OK && !(rc == SCHEDGPU_ENOJOB && may_be_gone(w)))
    unexpected(w, "release", rc, 0);
}

bool call_enter(struct worker *w, uint32_t ordinal, int64_t timeout_ns) {
  bool endless = timeout_ns == SCHEDGPU_FOREVER;
  enter_library(w, endless);
  int rc = schedgpu_context_enter((int)ordinal, timeout_ns);
  if (rc == SCHEDGPU_OK && w->depth[ordinal]++ == 0)
    hold(&w->entry->ctx[w->device[ordinal]], context_bytes(w->device[ordinal]));
  leave_library(w, endless);
  return judge(w, "context_enter", rc, timeout_ns, false);
}

void call_leave(struct worker *w, uint32_t ordinal) {
  if (--w->depth[ordinal] == 0)
    let_go(&w->entry->ctx[w->device[ordinal]], context_bytes(w->device[ordinal]));
  enter_library(w, false);
  int rc = schedgpu_context_leave((int)ordinal);
  leave_library(w, false);
  /* a process that was detached by the end of its job has no context to leave */
  bool gone = (rc == SCHEDGPU_EUNDERFLOW || rc == SCHEDGPU_ENOJOB) && may_be_gone(w);
  if (rc != SCHEDGPU_OK && !gone)
    unexpected(w, "context_leave", rc, 0);
}

static void judge_info(struct worker *w, uint32_t device, const struct schedgpu_info *info) {
  uint64_t mine = held_bytes(atomic_load(&w->entry->mem[device]));
  if (may_be_gone(w))
    return; /* it may have ended in between */
  if (info->own_used_bytes != mine || info->job_used_bytes < mine || info->job_id != w->job)
    page_fail(
        w->page,
        "entry %u, job %llx: query of device %u says own %llu, job's %llu, job %llx; it holds "
        "%llu",
        w->index, (unsigned long long)w->job, device, (unsigned long long)info->own_used_bytes,
        (unsigned long long)info->job_used_bytes, (unsigned long long)info->job_id,
        (unsigned long long)mine);
}

void call_query(struct worker *w, uint32_t ordinal) {
  struct schedgpu_info info;
  enter_library(w, false);
  int rc = schedgpu_query((int)ordinal, &info);
  leave_library(w, false);
  if (rc == SCHEDGPU_OK)
    judge_info(w, w->device[ordinal], &info);
  else if (rc == SCHEDGPU_ENOJOB)
    atomic_store(&w->lost, true);
  if (rc != SCHEDGPU_OK && !(rc == SCHEDGPU_ENOJOB && may_be_gone(w)))
    unexpected(w, "query", rc, 0);
}

void call_attach(struct worker *w) {
  enter_library(w, false);
  int rc = schedgpu_attach();
  leave_library(w, false);
  atomic_store(&w->lost, rc == SCHEDGPU_ENOJOB);
  if (rc != SCHEDGPU_OK && !(rc == SCHEDGPU_ENOJOB && may_be_gone(w)))
    unexpected(w, "attach", rc, 0);
}

void call_detach(struct worker *w) {
  uint64_t state = atomic_exchange(&w->entry->state, ENTRY_NOT_COUNTED);
  enter_library(w, false);
  int rc = schedgpu_detach();
  leave_library(w, false);
  if (rc != SCHEDGPU_OK)
    unexpected(w, "detach", rc, 0);
  entry_clear(w->entry);
  w->blocks = 0;
  for (uint32_t i = 0; i < DEVICES; i++)
    w->depth[i] = 0;
  atomic_store(&w->entry->state, state);
}

bool worker_holds_memory(const struct worker *w) {
  return w->blocks > 0;
}

bool worker_holds_contexts(const struct worker *w) {
  uint32_t depth = 0;
  for (uint32_t i = 0; i < w->devices; i++)
    depth |= w->depth[i];
  return depth != 0;
}

void worker_release_memory(struct worker *w) {
  while (w->blocks > 0) {
    struct block b = w->block[--w->blocks];
    call_release(w, b.ordinal, b.bytes);
  }
}

void worker_release_all(struct worker *w) {
  worker_release_memory(w);
  for (uint32_t i = 0; i < w->devices; i++)
    while (w->depth[i] > 0)
      call_leave(w, i);
}

int64_t random_timeout(struct dice *dice) {
  switch (dice_below(dice, 10)) {
  case 0:
  case 1:
    return SCHEDGPU_NO_WAIT;
  case 2:
    return SCHEDGPU_JOB_WAIT;
  case 3:
  case 4:
  case 5:
    return (int64_t)dice_below(dice, 20000000) + 1;
  default:
    return SCHEDGPU_FOREVER;
  }
}

uint64_t random_request(struct dice *dice, const struct worker *w, uint32_t ordinal) {
  uint32_t device = w->device[ordinal];
  uint64_t limit = largest_request(device);
  const struct place *place = &w->page->place[job_place(w->job) % PLACES];
  uint64_t budget = job_has_budget(w->job) ? atomic_load(&place->budget_bytes[device]) : 0;
  if (budget > 0 && !dice_one_in(dice, 16)) /* sometimes more than it may have */
    limit = budget / 2 + 1;
  if (dice_one_in(dice, 2))
    limit = limit < GIB ? limit : GIB;
  return 1 + dice_below(dice, limit);
}

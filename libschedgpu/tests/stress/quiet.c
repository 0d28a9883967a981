/*
 * quiet.c - phases that show a missed wake-up or a missed death. With forty busy processes some
 * process always serves a forgotten waiter. So now and then all processes stop, and every waiter
 * must be served all the same: in phase `release` every holder is asked to free; in `death` every
 * holder is killed, and only waiters are left to notice; in `lonely` only one waiter is left. From
 * `death` on the root side does not touch the region, because each of its calls would serve
 * waiters.
 */
#include "controller.h"

#define CALM_NS UINT64_C(120000000)
#define FREEZES 4

static void enter_phase(struct controller *t, enum phase phase) {
  atomic_store(&t->page->phase, phase);
  atomic_fetch_add(&t->page->phase_number, 1);
}

/** Dead, dying, or done with the library. */
static bool gone(const struct page *p, uint32_t i) {
  const struct entry *s = &p->entry[i];
  uint64_t who = atomic_load(&s->who);
  if (who == 0 || atomic_load(&s->state) == ENTRY_GONE || atomic_load(&s->will_die))
    return true;
  return i >= WORKERS && who_in_namespace(who) && gone(p, who_leader(who));
}

static bool parked(const struct page *p, uint32_t i) {
  return atomic_load(&p->entry[i].parked) == atomic_load(&p->phase_number);
}

/** True if one of its threads sleeps in a queue without a limit; others may wait for their turn. */
static bool waits_endlessly(const struct page *p, uint32_t i) {
  const struct entry *s = &p->entry[i];
  return !gone(p, i) && !parked(p, i) && atomic_load(&s->asleep) > 0 &&
         atomic_load(&s->endless) == atomic_load(&s->calls);
}

static bool all_at_rest(const struct page *p, bool but_waiters) {
  for (uint32_t i = 0; i < ENTRIES; i++)
    if (!gone(p, i) && !parked(p, i) && !(but_waiters && waits_endlessly(p, i)))
      return false;
  return true;
}

/** Waits until all are at rest: a process that starts no call and waits for no other gets there. */
static bool await_rest(struct controller *t, bool but_waiters, const char *where) {
  while (!all_at_rest(t->page, but_waiters)) {
    processes_reap(t);
    watch_devices(t);
    watch_progress(t, where);
    if (page_failed(t->page))
      return false;
    nap_us(1000);
  }
  return true;
}

static void kill_holders(struct controller *t, bool lonely) {
  uint32_t first = (uint32_t)dice_below(&t->dice, ENTRIES), left = 0;
  for (uint32_t k = 0; k < ENTRIES; k++) {
    uint32_t i = (first + k) % ENTRIES;
    bool waiter = waits_endlessly(t->page, i);
    if (waiter && !(lonely && left > 0))
      left++;
    else
      processes_kill(t, i);
  }
}

/** Expects that all memory was released, and that a reap finds everything of the dead. */
static bool demand_nothing_held(struct controller *t) {
  char text[200] = "?";
  uint64_t end = now_ns() + HANG_NS; /* a killed process may still be ending */
  while (!watch_nothing_held(t, text, sizeof text)) {
    processes_reap(t);
    if (page_failed(t->page))
      return false;
    if (now_ns() > end) {
      page_fail(t->page, "after a quiet phase: %s", text);
      return false;
    }
    nap_us(2000);
  }
  return true;
}

static bool was_forgotten(const struct controller *t, uint32_t i) {
  const struct sg_waiter *w = &t->snapshot->waiter[i], *now = &t->later->waiter[i];
  return w->state == SG_WAITING && (now->state != SG_WAITING || now->ticket != w->ticket);
}

/** On a busy machine a process with a grant may not have woken up yet; then it is not at rest. */
static bool any_process_wakes(const struct controller *t) {
  for (uint32_t i = 0; i < SG_SLOTS; i++)
    if (t->snapshot->waiter[i].state == SG_GRANTED)
      return true;
  return false;
}

/**
 * With all processes at rest, another attempt to serve must grant nothing: otherwise a process
 * freed memory, or left the queue, without serving. This does not hold for dead processes before
 * they are reaped, nor where budgets become idle by time alone.
 */
static void demand_none_forgotten(struct controller *t) {
  uint64_t size = schedgpu_snapshot_size();
  struct schedgpu_reaped reaped;
  int rc = schedgpu_admin_snapshot(t->admin, t->snapshot, size);
  if (rc == SCHEDGPU_OK)
    rc = schedgpu_admin_reap(t->admin, &reaped);
  if (rc == SCHEDGPU_OK)
    rc = schedgpu_admin_snapshot(t->admin, t->later, size);
  if (rc != SCHEDGPU_OK && rc != SCHEDGPU_ELOCK)
    page_fail(t->page, "reap answered %s", schedgpu_error_name(rc));
  if (rc != SCHEDGPU_OK || reaped.clients > 0 || reaped.granted == 0 || t->grace ||
      any_process_wakes(t))
    return;
  for (uint32_t i = 0; i < SG_SLOTS; i++)
    if (was_forgotten(t, i)) {
      t->snapshot_tells = true;
      page_fail(t->page, "waiter %u could be served, and nobody had done so", i);
      return;
    }
}

/** The remaining processes must find all dead ones. */
static void let_the_dead_be_found(struct controller *t) {
  uint64_t end = now_ns() + CALM_NS;
  enter_phase(t, PHASE_CALM);
  while (now_ns() < end && !page_failed(t->page)) {
    processes_reap(t);
    watch_devices(t);
    nap_us(2000);
  }
}

/** All processes come to rest with what they hold. Then the root side makes one change, and must
 * serve every waiter that it lets go on. */
static bool freeze(struct controller *t) {
  let_the_dead_be_found(t);
  enter_phase(t, PHASE_FREEZE);
  for (int i = 0; i < 2; i++) {
    if (!await_rest(t, true, "all but endless waits come to rest"))
      return false;
    demand_none_forgotten(t);
    if (i == 0)
      disturb_jobs(t);
  }
  return !page_failed(t->page);
}

bool quiet_phase(struct controller *t, enum quiet kind) {
  static const char *const names[QUIETS] = {
      "everybody gives everything back", "the holders are killed", "all but one waiter are killed"};
  page_count(t->page, TALLY_QUIETS);
  processes_continue(t, true);
  if (kind != QUIET_RELEASE) {
    for (int i = 0; i < FREEZES; i++)
      if (!freeze(t))
        return false;
    kill_holders(t, kind == QUIET_LONELY);
  }
  enter_phase(t, PHASE_QUIET);
  if (!await_rest(t, false, names[kind]) || !demand_nothing_held(t))
    return false;
  watch_region(t);
  enter_phase(t, PHASE_RUN);
  processes_start_missing(t);
  return !page_failed(t->page);
}

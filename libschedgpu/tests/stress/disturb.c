/* disturb.c - disturbs processes at random, preferably those inside the library. */
#include "controller.h"
#include <signal.h>

#define TRIES_FOR_A_VICTIM 4000

/** True if the process is inside the library now: before, in, or after the lock. */
static bool runs_inside(const struct entry *s) {
  return atomic_load(&s->calls) > atomic_load(&s->asleep);
}

static uint32_t victim(struct controller *t) {
  bool anybody = dice_one_in(&t->dice, 3);
  for (int tries = 0; tries < TRIES_FOR_A_VICTIM; tries++) {
    uint32_t entry = (uint32_t)dice_below(&t->dice, ENTRIES);
    if (processes_may_signal(t, entry) && (anybody || runs_inside(&t->page->entry[entry])))
      return entry;
  }
  return (uint32_t)dice_below(&t->dice, ENTRIES);
}

static void kill_some(struct controller *t) {
  uint64_t count = dice_one_in(&t->dice, 12) ? 2 + dice_below(&t->dice, 5) : 1;
  while (count-- > 0)
    processes_kill(t, victim(t));
}

static void stop_one(struct controller *t) {
  uint64_t most_ns = dice_one_in(&t->dice, 40) ? 300000000 : 15000000;
  processes_stop(t, victim(t), dice_below(&t->dice, most_ns));
}

/** Handlers run in the middle of any work, and system calls return early. */
static void signal_one(struct controller *t) {
  uint32_t entry = victim(t);
  if (!processes_may_signal(t, entry))
    return;
  kill(who_pid(atomic_load(&t->page->entry[entry].who)),
       dice_one_in(&t->dice, 2) ? SIGURG : SIGWINCH);
  page_count(t->page, TALLY_SIGNALS);
}

static void change_policy(struct controller *t) {
  int rc = schedgpu_admin_set_policy(t->admin, (uint32_t)dice_below(&t->dice, SCHEDGPU_POLICIES));
  if (rc == SCHEDGPU_OK)
    page_count(t->page, TALLY_POLICIES);
  else if (rc != SCHEDGPU_ELOCK)
    page_fail(t->page, "set_policy answered %s", schedgpu_error_name(rc));
}

static void reap(struct controller *t) {
  struct schedgpu_reaped reaped;
  int rc = schedgpu_admin_reap(t->admin, &reaped);
  if (rc != SCHEDGPU_OK && rc != SCHEDGPU_ELOCK)
    page_fail(t->page, "reap answered %s", schedgpu_error_name(rc));
}

void disturb_jobs(struct controller *t) {
  uint32_t place = (uint32_t)dice_below(&t->dice, PLACES),
           side = (uint32_t)dice_below(&t->dice, 10);
  if (side < 4)
    board_churn(t, place);
  else if (side < 8)
    board_update(t, place);
  else
    change_policy(t);
}

void disturb(struct controller *t) {
  uint32_t side = (uint32_t)dice_below(&t->dice, 1000);
  if (side < 500)
    kill_some(t);
  else if (side < 650)
    stop_one(t);
  else if (side < 850)
    signal_one(t);
  else if (side < 900)
    disturb_jobs(t);
  else if (side < 925)
    reap(t);
}

/* torment.c - disturbs processes at random, preferably those inside the library. */
#include "tormentor.h"
#include <signal.h>

#define LOOKS_FOR_A_VICTIM 4000

/** True if the process is inside the library now: before, in, or after the lock. */
static bool runs_inside(const struct seat *s) {
  return atomic_load(&s->calls) > atomic_load(&s->asleep);
}

static uint32_t victim(struct tormentor *t) {
  bool anybody = dice_one_in(&t->dice, 3);
  for (int looks = 0; looks < LOOKS_FOR_A_VICTIM; looks++) {
    uint32_t seat = (uint32_t)dice_below(&t->dice, SEATS);
    if (processes_may_signal(t, seat) && (anybody || runs_inside(&t->page->seat[seat])))
      return seat;
  }
  return (uint32_t)dice_below(&t->dice, SEATS);
}

static void kill_some(struct tormentor *t) {
  uint64_t count = dice_one_in(&t->dice, 12) ? 2 + dice_below(&t->dice, 5) : 1;
  while (count-- > 0)
    processes_kill(t, victim(t));
}

static void stop_one(struct tormentor *t) {
  uint64_t most_ns = dice_one_in(&t->dice, 40) ? 300000000 : 15000000;
  processes_stop(t, victim(t), dice_below(&t->dice, most_ns));
}

/** Handlers run in the middle of any work, and system calls return early. */
static void signal_one(struct tormentor *t) {
  uint32_t seat = victim(t);
  if (!processes_may_signal(t, seat))
    return;
  kill(who_pid(atomic_load(&t->page->seat[seat].who)),
       dice_one_in(&t->dice, 2) ? SIGURG : SIGWINCH);
  page_count(t->page, TALLY_SIGNALS);
}

static void change_policy(struct tormentor *t) {
  int rc = schedgpu_admin_set_policy(t->admin, (uint32_t)dice_below(&t->dice, SCHEDGPU_POLICIES));
  if (rc == SCHEDGPU_OK)
    page_count(t->page, TALLY_POLICIES);
  else if (rc != SCHEDGPU_ELOCK)
    page_fail(t->page, "set_policy answered %s", schedgpu_error_name(rc));
}

static void reap(struct tormentor *t) {
  struct schedgpu_reaped reaped;
  int rc = schedgpu_admin_reap(t->admin, &reaped);
  if (rc != SCHEDGPU_OK && rc != SCHEDGPU_ELOCK)
    page_fail(t->page, "reap answered %s", schedgpu_error_name(rc));
}

void torment_jobs(struct tormentor *t) {
  uint32_t place = (uint32_t)dice_below(&t->dice, PLACES),
           side = (uint32_t)dice_below(&t->dice, 10);
  if (side < 4)
    board_churn(t, place);
  else if (side < 8)
    board_update(t, place);
  else
    change_policy(t);
}

void torment(struct tormentor *t) {
  uint32_t side = (uint32_t)dice_below(&t->dice, 1000);
  if (side < 500)
    kill_some(t);
  else if (side < 650)
    stop_one(t);
  else if (side < 850)
    signal_one(t);
  else if (side < 900)
    torment_jobs(t);
  else if (side < 925)
    reap(t);
}

/* board.c - jobs begin, change and end while their processes are busy. */
#include "controller.h"

static uint64_t new_job(struct controller *t, uint32_t place) {
  uint32_t mask = random_mask(t->page, &t->dice);
  uint32_t flags = dice_one_in(&t->dice, 2)   ? JOB_PEAK | JOB_BUDGET
                   : dice_one_in(&t->dice, 2) ? JOB_BUDGET
                                              : 0;
  return job_id(atomic_fetch_add(&t->page->job_serial, 1) + 1, place, flags, mask);
}

/** A stopped process may hold the lock: then the root side tries again later. */
static bool busy(struct controller *t, const char *call, int rc) {
  if (rc == SCHEDGPU_ELOCK)
    page_count(t->page, TALLY_BUSY);
  else if (rc != SCHEDGPU_OK)
    page_fail(t->page, "%s answered %s", call, schedgpu_error_name(rc));
  return rc == SCHEDGPU_ELOCK;
}

static void begin(struct controller *t, uint32_t place) {
  struct place *board = &t->page->place[place];
  uint64_t job = new_job(t, place);
  struct schedgpu_job_spec s = job_spec_of(t->page, job, &t->dice);
  if (busy(t, "job_begin", schedgpu_admin_job_begin(t->admin, &s)))
    return;
  for (uint32_t d = 0; d < DEVICES; d++)
    atomic_store(&board->budget_bytes[d], s.budget_bytes[d]);
  atomic_store(&board->job, job);
  page_count(t->page, TALLY_JOBS);
}

static bool end(struct controller *t, uint32_t place) {
  int rc = schedgpu_admin_job_end(t->admin, SCHEDGPU_JOB_SLURM, t->ending[place]);
  if (busy(t, "job_end", rc))
    return false;
  t->ending[place] = 0;
  return true;
}

void board_churn(struct controller *t, uint32_t place) {
  struct place *board = &t->page->place[place];
  if (t->ending[place] == 0) /* taken off the board first: from here on it does not count */
    t->ending[place] = atomic_exchange(&board->job, 0);
  if (t->ending[place] == 0 || end(t, place))
    begin(t, place);
}

/** The same job with another priority and another wait. */
void board_update(struct controller *t, uint32_t place) {
  struct place *board = &t->page->place[place];
  uint64_t job = atomic_load(&board->job);
  if (job == 0)
    return;
  struct schedgpu_job_spec s = job_spec_of(t->page, job, &t->dice);
  for (uint32_t d = 0; d < DEVICES; d++)
    s.budget_bytes[d] = atomic_load(&board->budget_bytes[d]);
  busy(t, "job_begin (again)", schedgpu_admin_job_begin(t->admin, &s));
}

bool board_settle(struct controller *t) {
  bool done = true;
  for (uint32_t i = 0; i < PLACES; i++)
    if (t->ending[i] != 0)
      done &= end(t, i);
  return done;
}

bool board_clear(struct controller *t) {
  for (uint32_t i = 0; i < PLACES; i++)
    if (t->ending[i] == 0)
      t->ending[i] = atomic_exchange(&t->page->place[i].job, 0);
  return board_settle(t);
}

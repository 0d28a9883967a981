/* membership.c - a process whose job has ended looks for another one. */
#include "worker.h"
#include <stdio.h>
#include <stdlib.h>

static void belong_to(struct worker *w, uint64_t job) {
  char text[40];
  snprintf(text, sizeof text, "%s:%llu", job_is_own(job) ? "run" : "slurm",
           (unsigned long long)job);
  setenv("SCHEDGPU_JOB", text, 1);
  w->job = job;
  atomic_store(&w->lost, false);
  atomic_store(&w->entry->job, job);
  w->devices = 0;
  for (uint32_t d = 0; d < DEVICES; d++)
    if (job_mask(job) & 1u << d)
      w->device[w->devices++] = d;
}

void worker_quit_job(struct worker *w) {
  call_detach(w);
  atomic_store(&w->entry->job, 0);
  w->job = 0;
  schedgpu_admin_close(w->admin);
  w->admin = NULL;
}

bool worker_join_job(struct worker *w) {
  uint32_t first = (uint32_t)dice_below(&w->dice, PLACES);
  for (uint32_t i = 0; i < PLACES; i++) {
    uint64_t job = atomic_load(&w->page->place[(first + i) % PLACES].job);
    if (job == 0)
      continue;
    worker_quit_job(w);
    belong_to(w, job);
    return true;
  }
  return false;
}

void worker_begin_own_job(struct worker *w) {
  worker_quit_job(w);
  if (schedgpu_admin_open(w->page->run_dir, &w->admin) != SCHEDGPU_OK) {
    page_fail(w->page, "entry %u cannot open the region to begin its own job", w->index);
    return;
  }
  uint32_t mask = random_mask(w->page, &w->dice);
  uint32_t flags = dice_one_in(&w->dice, 2) ? JOB_PEAK | JOB_BUDGET : 0;
  uint64_t serial = atomic_fetch_add(&w->page->job_serial, 1) + 1;
  struct schedgpu_job_spec s =
      job_spec_of(w->page, job_id(serial, OWN_PLACE, flags, mask), &w->dice);
  int rc = schedgpu_admin_job_begin(w->admin, &s);
  if (rc == SCHEDGPU_OK) {
    page_count(w->page, TALLY_JOBS);
    belong_to(w, s.job_id);
    call_attach(w);
  } else if (rc != SCHEDGPU_ELOCK && rc != SCHEDGPU_EFULL) {
    page_fail(w->page, "entry %u: job_begin answered %s", w->index, schedgpu_error_name(rc));
  }
  if (rc != SCHEDGPU_OK || dice_one_in(&w->dice, 2)) { /* its process keeps the job alive */
    schedgpu_admin_close(w->admin);
    w->admin = NULL;
  }
}

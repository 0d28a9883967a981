/* gate.c - see gate.h. */
#include "gate.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>

#define NAME_SIZE 16 /* TASK_COMM_LEN of the kernel */

/** What the observer received, for the message about a wait that failed. */
struct observed {
  bool print;
  struct schedgpu_wait_notice last;
};

/** Prints a wait. A failed wait is reported with the task's fate, and not twice. */
static void observe(const struct schedgpu_wait_notice *notice, void *argument) {
  struct observed *observed = argument;
  observed->last = *notice;
  if (observed->print && (!notice->ended || notice->result == SCHEDGPU_OK))
    schedgpu_print_wait(notice, NULL);
}

/**
 * Sets the variables that the client library reads in this process. The program that starts later
 * gets its own.
 */
static void introduce(const struct sg_node *node, uint64_t job_id) {
  char job[32];
  snprintf(job, sizeof job, "slurm:%llu", (unsigned long long)job_id);
  setenv("SCHEDGPU_JOB", job, 1);
  setenv("SCHEDGPU_RUN_DIR", node->conf.run_dir, 1);
  unsetenv("SCHEDGPU_DEVICES"); /* the gate is for all devices of the job */
}

static void say_timed_out(const struct schedgpu_wait_notice *wait, struct sg_plan *plan) {
  char wanted[24];
  snprintf(plan->reason, sizeof plan->reason,
           "%s on device %d did not become free within %.1f s: ask for a longer --schedgpu-wait",
           schedgpu_format_bytes(wait->request_bytes, wanted), wait->region_device,
           (double)wait->waited_ns / 1e9);
}

/**
 * Waits under another process name. The process is still a copy of slurmstepd; under that name
 * proctrack/linuxproc would take it for the daemon and never signal it, so the job could not be
 * cancelled.
 */
static int wait_under_own_name(void) {
  char name[NAME_SIZE] = "";
  prctl(PR_GET_NAME, name);
  prctl(PR_SET_NAME, "schedgpu-gate");
  int rc = schedgpu_gate(SCHEDGPU_JOB_WAIT);
  prctl(PR_SET_NAME, name);
  return rc;
}

void sg_gate_pass(const struct sg_node *node, uint64_t job_id, bool print, struct sg_plan *plan) {
  struct observed observed = {.print = print};
  if (plan->fate != SG_FATE_SCHEDULED || !plan->gate)
    return;
  introduce(node, job_id);
  schedgpu_set_wait_observer(observe, &observed);
  int rc = wait_under_own_name();
  schedgpu_set_wait_observer(NULL, NULL);
  schedgpu_detach(); /* the job holds the budget, this process holds nothing */
  if (rc == SCHEDGPU_OK)
    return;
  if (rc == SCHEDGPU_ETIMEDOUT)
    say_timed_out(&observed.last, plan);
  else if (rc == SCHEDGPU_EWOULDBLOCK)
    snprintf(plan->reason, sizeof plan->reason,
             "its GPU memory is not free now, and it does not wait: ask for a longer "
             "--schedgpu-wait");
  else
    snprintf(plan->reason, sizeof plan->reason, "reserving its GPU memory: %s: %s",
             schedgpu_error_name(rc), schedgpu_strerror(rc));
  bool jobs_fault =
      rc == SCHEDGPU_ETIMEDOUT || rc == SCHEDGPU_EWOULDBLOCK || rc == SCHEDGPU_ETOOBIG;
  plan->fate = jobs_fault || node->conf.refuse_on_failure ? SG_FATE_REFUSED : SG_FATE_UNSCHEDULED;
}

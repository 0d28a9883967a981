/* schedule.c - see schedule.h. */
#include "schedule.h"
#include "../resolve/other_libc.h"
#include "fork.h"
#include "join.h"
#include "message.h"
#include "python_module.h"
#include "schedgpu/schedgpu.h"
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t deciding = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(enum sgp_mode) mode;

void sgp_schedule_after_fork(void) {
  deciding = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
  atomic_store(&mode, SGP_MODE_UNKNOWN);
}

static enum sgp_mode mode_without(const char *what, const char *why) {
  const char *choice = getenv("SCHEDGPU_ON_FAILURE");
  if (choice && strcmp(choice, "refuse") == 0) {
    sgp_say_once(SGP_REFUSED,
                 "%s: %s; refusing device memory (SCHEDGPU_ON_FAILURE=refuse, OnFailure in "
                 "schedgpu.conf)",
                 what, why);
    return SGP_MODE_REFUSE;
  }
  sgp_say_once(SGP_UNSCHEDULED, "%s: %s; running without scheduling", what, why);
  return SGP_MODE_OFF;
}

/**
 * Says why there is no region, in `text`: mostly, because a container shows a part of the node.
 */
static void why_no_region(const char *run_dir, char *text, size_t size) {
  char file[PATH_MAX];
  snprintf(file, sizeof file, "%s/region", run_dir);
  if (access(file, F_OK) == 0)
    snprintf(text, size,
             "%s is here, its memory is not: in a container share the IPC namespace of the host "
             "(schedgpu container-options), elsewhere run `schedgpu setup` as root",
             file);
  else
    snprintf(text, size,
             "%s is not here: in a container bind %s (schedgpu container-options), elsewhere run "
             "`schedgpu setup` as root, or start the job through Slurm with the schedgpu prolog",
             file, run_dir);
}

enum sgp_mode sgp_mode_after(int error) {
  const char *run_dir = getenv("SCHEDGPU_RUN_DIR");
  char why[400];
  if (error != SCHEDGPU_ENOREGION || !run_dir)
    return mode_without(schedgpu_error_name(error), schedgpu_strerror(error));
  why_no_region(run_dir, why, sizeof why);
  return mode_without(schedgpu_error_name(error), why);
}

/* Such a program has no handlers of fork() from us (build-support/glibc-2.17/newer.c), among
 * others. */
static enum sgp_mode mode_of_other_libc(void) {
  const char *job = getenv("SCHEDGPU_JOB");
  return job && *job ? mode_without("C library", "this program's is not glibc") : SGP_MODE_OFF;
}

static enum sgp_mode decide(void) {
  static bool registered;
  int error;
  if (!sgp_is_glibc())
    return mode_of_other_libc();
  schedgpu_set_wait_observer(schedgpu_print_wait, NULL);
  if (!sgp_join(&error))
    return SGP_MODE_OFF;
  if (error)
    return sgp_mode_after(error);
  sgp_look_for_python_module();
  if (!registered)
    registered = pthread_atfork(NULL, NULL, sgp_after_fork) == 0;
  return SGP_MODE_ON;
}

__attribute__((noinline, cold)) static enum sgp_mode first_mode(void) {
  pthread_mutex_lock(&deciding);
  enum sgp_mode now = atomic_load_explicit(&mode, memory_order_relaxed);
  if (now == SGP_MODE_UNKNOWN) {
    now = decide();
    atomic_store_explicit(&mode, now, memory_order_release);
  }
  pthread_mutex_unlock(&deciding);
  return now;
}

enum sgp_mode sgp_mode(void) {
  enum sgp_mode now = atomic_load_explicit(&mode, memory_order_acquire);
  return now != SGP_MODE_UNKNOWN ? now : first_mode();
}

bool sgp_reserve_now(int device, uint64_t bytes) {
  return schedgpu_try_reserve(device, bytes) == SCHEDGPU_OK;
}

void sgp_release(int device, uint64_t bytes) {
  schedgpu_release(device, bytes);
}

void sgp_leave_context(int device) {
  schedgpu_context_leave(device);
}

/* schedule.c - see schedule.h. */
#include "schedule.h"
#include "../account/contexts.h"
#include "devices.h"
#include "../account/first_try.h"
#include "join.h"
#include "../lane/lane_memory.h"
#include "../account/ledger.h"
#include "message.h"
#include "../account/physical.h"
#include "../account/room.h"
#include "schedgpu/admin.h"
#include "schedgpu/schedgpu.h"
#include "../../shell/client/client.h"
#include "../../shell/client/lane_memory.h"
#include "../account/tiles.h"
#include "../turns/turns.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_BYTES 24

#define DEVICES SCHEDGPU_MAX_DEVICES

static pthread_mutex_t deciding = PTHREAD_MUTEX_INITIALIZER;
/*
 * One thread at a time asks for a context of a device; the others share the result, instead of
 * queueing for the same context.
 */
static pthread_mutex_t admitting[DEVICES] = {[0 ... DEVICES - 1] = PTHREAD_MUTEX_INITIALIZER};
static _Atomic(enum sgp_mode) mode;

/*
 * Resets a forked child: it holds nothing of the parent's account, and its copies of our locks may
 * be taken.
 */
static void after_fork(void) {
  deciding = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
  for (int i = 0; i < DEVICES; i++)
    admitting[i] = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
  sgp_ledger_after_fork();
  sgp_physical_after_fork();
  sgp_tiles_after_fork();
  sgp_contexts_after_fork();
  sgp_room_after_fork();
  sgp_lane_after_fork();
  sgp_turns_after_fork();
  sgp_first_try_after_fork();
  sgp_devices_forget();
  atomic_store(&mode, SGP_MODE_UNKNOWN);
}

enum sgp_mode sgp_mode_after(int error) {
  const char *choice = getenv("SCHEDGPU_ON_FAILURE");
  if (choice && strcmp(choice, "refuse") == 0) {
    sgp_say_once(SGP_REFUSED,
                 "%s: %s; refusing device memory (SCHEDGPU_ON_FAILURE=refuse, OnFailure in "
                 "schedgpu.conf)",
                 schedgpu_error_name(error), schedgpu_strerror(error));
    return SGP_MODE_REFUSE;
  }
  sgp_say_once(SGP_UNSCHEDULED, "%s: %s; running without scheduling", schedgpu_error_name(error),
               schedgpu_strerror(error));
  return SGP_MODE_OFF;
}

static enum sgp_mode decide(void) {
  static bool registered;
  int error;
  schedgpu_set_wait_observer(schedgpu_print_wait, NULL);
  if (!sgp_join(&error))
    return SGP_MODE_OFF;
  if (error)
    return sgp_mode_after(error);
  if (!registered)
    registered = pthread_atfork(NULL, NULL, after_fork) == 0;
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

/* The node's number of a device, as in all other messages of the job, in status and in nvidia-smi;
 * the program's own number if the job does not have the device. */
static int on_node(int device) {
  struct sg_self *self = sg_self();
  uint32_t number = self ? sg_self_device(self, device) : SG_NONE;
  return number == SG_NONE ? device : (int)number;
}

static bool is_run_job(void) {
  const char *job = getenv("SCHEDGPU_JOB");
  return job && strncmp(job, "run:", 4) == 0;
}

/* The prefix of options in messages: as in the command that started the job. */
static const char *option_prefix(void) {
  return is_run_job() ? "--" : "--schedgpu-";
}

/* The budget of a lane job cannot grow. */
static const char *or_overflow(const struct schedgpu_info *info) {
  if (info->mode != SCHEDGPU_MODE_PEAK || sg_lane_kind() != SG_NO_LANE)
    return "";
  return is_run_job() ? ", or wait for it with --overflow wait"
                      : ", or wait for it with --schedgpu-overflow=wait";
}

static void say_over_budget(int device, const char *asked) {
  struct schedgpu_info info;
  char used[TEXT_BYTES], budget[TEXT_BYTES];
  if (schedgpu_query(device, &info) != SCHEDGPU_OK)
    return;
  schedgpu_format_bytes(info.job_used_bytes, used);
  schedgpu_format_bytes(info.budget_bytes, budget);
  if (sg_lane_kind() == SG_SHARES_LANE) {
    sgp_say_once(
        SGP_OVER_BUDGET,
        "job %llu shares its lane and asked for %s on device %d beside it, %s of the %s "
        "that it keeps are in use: ask for more with %spersistent, or allocate in the lane",
        (unsigned long long)info.job_id, asked, on_node(device), used, budget, option_prefix());
    return;
  }
  if (strcmp(strchr(used, ' '), strchr(budget, ' ')) == 0)
    used[strcspn(used, " ")] = '\0'; /* "5.5 of its 6.0 GiB" */
  sgp_say_once(SGP_OVER_BUDGET,
               "job %llu asked for %s on device %d, %s of its %s budget are in use: ask for more "
               "with %smem%s",
               (unsigned long long)info.job_id, asked, on_node(device), used, budget,
               option_prefix(), or_overflow(&info));
}

void sgp_say_not_asked_again(int device, uint64_t bytes) {
  struct schedgpu_info info;
  char asked[TEXT_BYTES], budget[TEXT_BYTES];
  if (schedgpu_query(device, &info) != SCHEDGPU_OK)
    return;
  sgp_say_once(SGP_OVER_BUDGET,
               "job %llu asked for %s on device %d beyond its budget of %s, and not again: ask for "
               "more with %smem%s",
               (unsigned long long)info.job_id, schedgpu_format_bytes(bytes, asked),
               on_node(device), schedgpu_format_bytes(info.budget_bytes, budget), option_prefix(),
               or_overflow(&info));
}

static void say_too_big(int device, const char *asked) {
  struct schedgpu_info info;
  char total[TEXT_BYTES];
  if (schedgpu_query(device, &info) != SCHEDGPU_OK)
    return;
  sgp_say_once(SGP_TOO_BIG,
               "job %llu asked for %s on device %d, which can give %s: allocate less or ask for a "
               "larger device",
               (unsigned long long)info.job_id, asked, on_node(device),
               schedgpu_format_bytes(info.total_bytes, total));
}

static void say_deadlock(int device, const char *asked) {
  char holders[400];
  if (schedgpu_holders(device, holders, sizeof holders) != SCHEDGPU_OK)
    return;
  if (sg_lane_kind() != SG_NO_LANE) { /* only for a context it must not wait */
    sgp_say_once(
        SGP_DEADLOCK,
        "%s on device %d are not free (%s), and a lane job does not wait for a context that "
        "was not declared: declare its processes with %sprocesses",
        asked, on_node(device), holders, option_prefix());
    return;
  }
  sgp_say_once(SGP_DEADLOCK,
               "%s on device %d cannot be granted, because every process that holds memory would "
               "wait (%s): declare the peak with %smem",
               asked, on_node(device), holders, option_prefix());
}

/* True if the error is one that CUDA calls out of memory. */
static bool say_no_memory(int error, int device, const char *asked) {
  switch (error) {
  case SCHEDGPU_EBUDGET:
    say_over_budget(device, asked);
    return true;
  case SCHEDGPU_ETOOBIG:
    say_too_big(device, asked);
    return true;
  case SCHEDGPU_ETIMEDOUT:
    sgp_say_once(SGP_TIMED_OUT,
                 "%s on device %d did not become free in time: ask for a longer %swait", asked,
                 on_node(device), option_prefix());
    return true;
  case SCHEDGPU_EWOULDBLOCK:
    sgp_say_once(SGP_MAY_NOT_WAIT,
                 "%s on device %d do not fit now and the job does not wait: ask for a longer "
                 "%swait",
                 asked, on_node(device), option_prefix());
    return true;
  case SCHEDGPU_EDEADLOCK:
    say_deadlock(device, asked);
    return true;
  default:
    return false;
  }
}

static struct sgp_verdict verdict_of(int error, int device, const char *asked) {
  if (error == SCHEDGPU_OK)
    return (struct sgp_verdict){.charged = true};
  if (say_no_memory(error, device, asked))
    return (struct sgp_verdict){.refused = true, .error = CUDA_ERROR_OUT_OF_MEMORY};
  if (error == SCHEDGPU_EDEVICE) {
    sgp_say_once(SGP_FOREIGN_DEVICE,
                 "device %d is not one of the job's: its memory is not "
                 "scheduled",
                 device);
    return (struct sgp_verdict){.charged = false};
  }
  if (sgp_mode_after(error) == SGP_MODE_REFUSE)
    return (struct sgp_verdict){.refused = true, .error = CUDA_ERROR_NOT_PERMITTED};
  return (struct sgp_verdict){.charged = false};
}

__attribute__((noinline, cold)) static struct sgp_verdict refusal(int error, int device,
                                                                  uint64_t bytes) {
  char asked[TEXT_BYTES];
  return verdict_of(error, device, schedgpu_format_bytes(bytes, asked));
}

bool sgp_reserve_now(int device, uint64_t bytes) {
  return schedgpu_try_reserve(device, bytes) == SCHEDGPU_OK;
}

struct sgp_verdict sgp_reserve(int device, uint64_t bytes) {
  if (sgp_may_make_room() && sgp_reserve_making_room(device, bytes))
    return (struct sgp_verdict){.charged = true};
  bool retry;
  int error = sgp_first_try_reserve(device, bytes, &retry);
  if (error == SCHEDGPU_OK)
    return (struct sgp_verdict){.charged = true};
  if (retry)
    return (struct sgp_verdict){.refused = true, .error = CUDA_ERROR_OUT_OF_MEMORY};
  return refusal(error, device, bytes);
}

struct sgp_verdict sgp_admit_context(int device) {
  pthread_mutex_t *lock = &admitting[(unsigned)device % DEVICES];
  pthread_mutex_lock(lock);
  int error = schedgpu_context_enter(device, SCHEDGPU_JOB_WAIT);
  pthread_mutex_unlock(lock);
  return verdict_of(error, device, "a CUDA context");
}

void sgp_release(int device, uint64_t bytes) {
  schedgpu_release(device, bytes);
}

void sgp_leave_context(int device) {
  schedgpu_context_leave(device);
}

/* refusal.c - see refusal.h. */
#include "refusal.h"
#include "message.h"
#include "../../shell/client/self.h"
#include "../../shell/client/lane_memory.h"
#include "schedgpu/schedgpu.h"
#include <stdlib.h>
#include <string.h>

#define TEXT_BYTES SGP_SIZE_BYTES

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

struct sgp_verdict sgp_verdict_of(int error, int device, const char *asked) {
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

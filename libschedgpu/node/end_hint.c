/* end_hint.c - see end_hint.h. */
#include "end_hint.h"
#include "schedgpu/conf_text.h"
#include <stdio.h>
#include <time.h>

#define NS_PER_S UINT64_C(1000000000)
#define UNMARKED_S 10u
#define TIMEOUT_NS UINT64_C(200000000)

char *sg_size_text(uint64_t bytes, char *text) {
  if (bytes >= UINT64_C(1) << 30)
    return schedgpu_format_bytes(bytes, text);
  snprintf(text, 24, "%u MiB", (unsigned)((bytes + (1 << 19)) >> 20));
  return text;
}

/** The budget for a job that needs this much, at most what the device can give, in whole MiB. */
static uint64_t enough_for(const struct sg_end_use *use, uint64_t bytes) {
  uint64_t enough = schedgpu_suggested_budget(bytes);
  return enough > use->largest_bytes ? use->largest_bytes >> 20 << 20 : enough;
}

/** Advises used plus refused bytes, because the use alone is only what the job could get. */
static void advise_after_refusals(const struct sg_end_use *use, char *text, size_t size) {
  char refused[24], typed[24], given[24], how_many[64], advice[96];
  uint64_t needed = use->used_bytes + use->refused_bytes, enough = enough_for(use, needed);
  if (use->refusals == 1)
    snprintf(how_many, sizeof how_many, "1 allocation was refused, of");
  else
    snprintf(how_many, sizeof how_many, "%u allocations were refused, the largest of",
             use->refusals);
  if (needed <= enough)
    snprintf(advice, sizeof advice, "%s%s%s would do", use->option,
             schedgpu_type_bytes(enough, typed),
             enough < schedgpu_suggested_budget(needed) ? "" : " or more");
  else
    snprintf(advice, sizeof advice, "the device can give %s",
             sg_size_text(use->largest_bytes, given));
  snprintf(text, size, ", and %s %s; %s", how_many, sg_size_text(use->refused_bytes, refused),
           advice);
}

static bool advise_by_use(const struct sg_end_use *use, char *text, size_t size) {
  char typed[24];
  uint64_t asked = use->asked_bytes, used = use->used_bytes, enough = enough_for(use, used);
  bool little = used > asked && enough > asked;
  bool much = asked > used + used / 2 && enough < asked;
  snprintf(text, size, "; %s%s would %s", use->option, schedgpu_type_bytes(enough, typed),
           little && use->grows ? "avoid the wait for more" : "do");
  return used != 0 && (little || much);
}

static bool advise(const struct sg_end_use *use, char *text, size_t size) {
  if (use->asked_bytes == 0 || use->refusals == 0)
    return use->asked_bytes != 0 && advise_by_use(use, text, size);
  advise_after_refusals(use, text, size);
  return true;
}

/** The job is one long iteration: a lane gained nothing, and the others could only wait. */
static bool hint_at_marks(const struct sg_end_use *use, char *text, size_t size) {
  if (use->unmarked_s < UNMARKED_S)
    return false;
  snprintf(text, size,
           "%s marked no end of an iteration: it kept the turn of its lane on device %u for %u s, "
           "and others could only wait; mark the iterations, or leave the lane out",
           use->job, use->device, use->unmarked_s);
  return true;
}

/**
 * All that is known without an agent, or of a program that ended before its first look. The device
 * keeps no trace of processes that have ended.
 */
static bool hint_at_silence(const struct sg_end_use *use, char *text, size_t size) {
  char asked[24];
  if (!use->untouched || use->asked_bytes == 0)
    return false;
  snprintf(text, size,
           "%s had %s of device %u, and none of its programs asked for any: one that used the GPU "
           "ran unscheduled: leave LD_PRELOAD as it is, in a container bind the library, or take "
           "--schedgpu-mode=gate",
           use->job, sg_size_text(use->asked_bytes, asked), use->device);
  return true;
}

bool sg_end_hint_text(const struct sg_end_use *use, char *text, size_t size) {
  if (hint_at_silence(use, text, size))
    return true;
  if (hint_at_marks(use, text, size))
    return true;
  char used[24], asked[24], waited[48] = "", advice[192];
  uint64_t seconds = use->waited_ns / NS_PER_S;
  if (!advise(use, advice, sizeof advice))
    return false;
  if (seconds > 0)
    snprintf(waited, sizeof waited, ", waited %llu s", (unsigned long long)seconds);
  snprintf(text, size, "%s used at most %s of %s asked on device %u%s%s", use->job,
           sg_size_text(use->used_bytes, used), sg_size_text(use->asked_bytes, asked), use->device,
           waited, advice);
  return true;
}

static struct schedgpu_device_spec spec_of(const struct schedgpu_setup *devices, uint32_t device) {
  for (uint32_t d = 0; d < devices->device_count; d++)
    if (devices->device[d].index == device)
      return devices->device[d];
  return (struct schedgpu_device_spec){0};
}

/** What `schedgpu run` and Slurm call the option for the memory that a job has by itself. */
static const char *option_of(const struct schedgpu_job_spec *job,
                             const struct schedgpu_job_use *used) {
  bool run = job->kind == SCHEDGPU_JOB_RUN;
  if (used->shares_lane)
    return run ? "--persistent " : "--schedgpu-persistent=";
  return run ? "--mem " : "--schedgpu-mem=";
}

/** The largest budget that a device can give, in bytes; no limit for an unknown device. */
static uint64_t largest_budget(const struct schedgpu_device_spec *spec) {
  uint64_t kept = spec->reserved_bytes + spec->context_bytes;
  return spec->total_bytes == 0     ? UINT64_MAX
         : spec->total_bytes > kept ? spec->total_bytes - kept
                                    : 0;
}

bool sg_end_hint_of(const struct schedgpu_setup *devices, const struct schedgpu_job_spec *job,
                    const struct schedgpu_job_use *used, char *text, size_t size) {
  char reference[32];
  uint32_t most = job->device_mask ? (uint32_t)__builtin_ctz(job->device_mask) : 0;
  uint64_t most_bytes = 0;
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++) {
    uint64_t bytes = used->peak_bytes[d];
    most = bytes > most_bytes ? d : most;
    most_bytes = bytes > most_bytes ? bytes : most_bytes;
  }
  bool run = job->kind == SCHEDGPU_JOB_RUN;
  struct schedgpu_device_spec spec = spec_of(devices, most);
  snprintf(reference, sizeof reference, "%s:%llu", run ? "run" : "slurm",
           (unsigned long long)job->job_id);
  const struct sg_end_use use = {
      .job = reference,
      .option = option_of(job, used),
      .device = most,
      .refusals = used->refusals,
      .refused_bytes = used->refused_bytes,
      .asked_bytes =
          used->shares_lane && !used->untouched ? job->persistent_bytes : job->budget_bytes[most],
      .used_bytes = used->shares_lane ? used->kept_bytes : most_bytes,
      .grows = job->flags & SCHEDGPU_JOB_FLAG_OVERFLOW_WAITS,
      .waited_ns = used->waited_ns,
      .unmarked_s = used->unmarked_s,
      .untouched = used->untouched && !run && job->mode != SCHEDGPU_MODE_GATE,
      .largest_bytes = largest_budget(&spec)};
  return sg_end_hint_text(&use, text, size);
}

static uint64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

/** Gives the next call on the lock the time that is left for all of them. */
static bool limit_lock_time(schedgpu_admin *admin, uint64_t until_ns) {
  uint64_t now = now_ns();
  schedgpu_admin_set_timeout(admin, until_ns > now ? (int64_t)(until_ns - now) : 0);
  return until_ns > now;
}

/** Reaps first, because the peak of a process is added up when its record is removed. */
bool sg_end_hint_until(schedgpu_admin *admin, uint32_t kind, uint64_t job_id, uint64_t until_ns,
                       char *text, size_t size) {
  struct schedgpu_setup devices;
  struct schedgpu_job_spec job;
  struct schedgpu_job_use used;
  bool known = limit_lock_time(admin, until_ns) &&
               schedgpu_admin_reap(admin, NULL) == SCHEDGPU_OK &&
               limit_lock_time(admin, until_ns) &&
               schedgpu_admin_job_find(admin, kind, job_id, &job) == SCHEDGPU_OK &&
               limit_lock_time(admin, until_ns) &&
               schedgpu_admin_job_use(admin, kind, job_id, &used) == SCHEDGPU_OK;
  if (known)
    schedgpu_admin_devices(admin, &devices);
  limit_lock_time(admin, until_ns); /* a detach that fails is completed by the next reap */
  return known && sg_end_hint_of(&devices, &job, &used, text, size);
}

bool sg_end_hint(schedgpu_admin *admin, uint32_t kind, uint64_t job_id, char *text, size_t size) {
  return sg_end_hint_until(admin, kind, job_id, now_ns() + TIMEOUT_NS, text, size);
}

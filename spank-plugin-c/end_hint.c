/* end_hint.c - see end_hint.h. */
#include "end_hint.h"
#include <stdio.h>
#include <time.h>

#define NS_PER_S UINT64_C(1000000000)
#define MIB (UINT64_C(1) << 20)
#define STEP_BYTES (256 * MIB)
#define PATIENCE_NS UINT64_C(200000000)

/** With 10 % to spare, and 256 MiB at least, in steps of 256 MiB: as `schedgpu suggest`. */
static uint64_t budget_for(uint64_t used_bytes) {
  uint64_t margin = used_bytes / 100 * 10;
  uint64_t bytes = used_bytes + (margin > STEP_BYTES ? margin : STEP_BYTES);
  return (bytes + STEP_BYTES - 1) / STEP_BYTES * STEP_BYTES;
}

/** As it is typed: "3G", "2560M". */
static void type_size(uint64_t bytes, char text[24]) {
  uint64_t mib = bytes / MIB;
  bool whole = mib % 1024 == 0;
  snprintf(text, 24, "%llu%c", (unsigned long long)(whole ? mib / 1024 : mib), whole ? 'G' : 'M');
}

/** Its use is no more than what it could get. */
static void advise_after_refusals(const struct sg_end_use *use, char *text, size_t size) {
  char refused[24], typed[24], given[24], how_many[64], advice[64];
  uint64_t enough = budget_for(use->used_bytes + use->refused_bytes);
  type_size(enough, typed);
  if (use->refusals == 1)
    snprintf(how_many, sizeof how_many, "1 allocation was refused, of");
  else
    snprintf(how_many, sizeof how_many, "%u allocations were refused, the largest of",
             use->refusals);
  if (enough <= use->largest_bytes)
    snprintf(advice, sizeof advice, "--schedgpu-mem=%s or more would do", typed);
  else
    snprintf(advice, sizeof advice, "the device can give %s",
             schedgpu_format_bytes(use->largest_bytes, given));
  snprintf(text, size, ", and %s %s; %s", how_many,
           schedgpu_format_bytes(use->refused_bytes, refused), advice);
}

static bool advise_by_use(const struct sg_end_use *use, char *text, size_t size) {
  char typed[24];
  uint64_t asked = use->asked_bytes, used = use->used_bytes, enough = budget_for(used);
  bool little = used > asked;
  bool much = asked > used + used / 2 && enough < asked;
  type_size(enough, typed);
  snprintf(text, size, "; --schedgpu-mem=%s would %s", typed,
           little ? "spare it the wait for more" : "do");
  return used != 0 && (little || much);
}

static bool advise(const struct sg_end_use *use, char *text, size_t size) {
  if (use->asked_bytes == 0 || use->refusals == 0)
    return use->asked_bytes != 0 && advise_by_use(use, text, size);
  advise_after_refusals(use, text, size);
  return true;
}

bool sg_end_hint_text(const struct sg_end_use *use, char *text, size_t size) {
  char used[24], asked[24], waited[48] = "", advice[192];
  uint64_t seconds = use->waited_ns / NS_PER_S;
  if (!advise(use, advice, sizeof advice))
    return false;
  if (seconds > 0)
    snprintf(waited, sizeof waited, ", waited %llu s", (unsigned long long)seconds);
  snprintf(text, size, "slurm:%llu used at most %s of %s asked on device %u%s%s",
           (unsigned long long)use->job_id, schedgpu_format_bytes(use->used_bytes, used),
           schedgpu_format_bytes(use->asked_bytes, asked), use->device, waited, advice);
  return true;
}

static struct schedgpu_device_spec spec_of(const struct sg_node *node, uint32_t device) {
  for (uint32_t d = 0; d < node->devices.count; d++)
    if (node->devices.device[d].spec.index == device)
      return node->devices.device[d].spec;
  return (struct schedgpu_device_spec){0};
}

/** Of a device that is not known there is no end. */
static uint64_t largest_budget(const struct schedgpu_device_spec *spec) {
  uint64_t kept = spec->reserved_bytes + spec->context_bytes;
  return spec->total_bytes == 0     ? UINT64_MAX
         : spec->total_bytes > kept ? spec->total_bytes - kept
                                    : 0;
}

/** Of the device of which it used most; of its first one if it used none. */
static struct sg_end_use use_of(const struct sg_node *node, const struct schedgpu_job_spec *job,
                                const struct schedgpu_job_use *use) {
  uint32_t most = job->device_mask ? (uint32_t)__builtin_ctz(job->device_mask) : 0;
  uint64_t most_bytes = 0;
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++) {
    uint64_t context = spec_of(node, d).context_bytes;
    uint64_t used = use->peak_bytes[d] > context ? use->peak_bytes[d] - context : 0;
    most = used > most_bytes ? d : most;
    most_bytes = used > most_bytes ? used : most_bytes;
  }
  struct schedgpu_device_spec spec = spec_of(node, most);
  return (struct sg_end_use){.job_id = job->job_id,
                             .device = most,
                             .refusals = use->refusals,
                             .refused_bytes = use->refused_bytes,
                             .asked_bytes = job->budget_bytes[most],
                             .used_bytes = most_bytes,
                             .waited_ns = use->waited_ns,
                             .largest_bytes = largest_budget(&spec)};
}

static uint64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

/** Each call may wait for the lock as long as is left for all of them. */
static bool in_time(schedgpu_admin *admin, uint64_t until_ns) {
  uint64_t now = now_ns();
  schedgpu_admin_set_timeout(admin, until_ns > now ? (int64_t)(until_ns - now) : 0);
  return until_ns > now;
}

static bool ask(schedgpu_admin *admin, uint64_t job_id, uint64_t until_ns,
                struct schedgpu_job_spec *job, struct schedgpu_job_use *use) {
  return in_time(admin, until_ns) && schedgpu_admin_reap(admin, NULL) == SCHEDGPU_OK &&
         in_time(admin, until_ns) &&
         schedgpu_admin_job_find(admin, SCHEDGPU_JOB_SLURM, job_id, job) == SCHEDGPU_OK &&
         in_time(admin, until_ns) &&
         schedgpu_admin_job_use(admin, SCHEDGPU_JOB_SLURM, job_id, use) == SCHEDGPU_OK;
}

static bool look(const struct sg_node *node, schedgpu_admin *admin, uint64_t job_id,
                 uint64_t until_ns, char *text, size_t size) {
  struct schedgpu_job_spec job;
  struct schedgpu_job_use used;
  if (!ask(admin, job_id, until_ns, &job, &used))
    return false;
  struct sg_end_use use = use_of(node, &job, &used);
  return sg_end_hint_text(&use, text, size);
}

bool sg_end_hint_until(const struct sg_node *node, uint64_t job_id, uint64_t until_ns, char *text,
                       size_t size) {
  schedgpu_admin *admin;
  if (schedgpu_admin_open(node->conf.run_dir, &admin) != SCHEDGPU_OK)
    return false;
  bool told = look(node, admin, job_id, until_ns, text, size);
  in_time(admin, until_ns); /* who cannot say that he goes is found by the next */
  schedgpu_admin_close(admin);
  return told;
}

bool sg_end_hint(const struct sg_node *node, uint64_t job_id, char *text, size_t size) {
  return sg_end_hint_until(node, job_id, now_ns() + PATIENCE_NS, text, size);
}

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

bool sg_end_hint_text(uint64_t job_id, uint32_t device, uint64_t asked_bytes, uint64_t used_bytes,
                      uint64_t waited_ns, char *text, size_t size) {
  char used[24], asked[24], waited[48] = "";
  uint64_t enough = budget_for(used_bytes), mib = enough / MIB, seconds = waited_ns / NS_PER_S;
  bool little = used_bytes > asked_bytes;
  bool much = asked_bytes > used_bytes + used_bytes / 2 && enough < asked_bytes;
  if (asked_bytes == 0 || used_bytes == 0 || !(little || much))
    return false;
  if (seconds > 0)
    snprintf(waited, sizeof waited, ", waited %llu s", (unsigned long long)seconds);
  bool whole = mib % 1024 == 0;
  snprintf(text, size,
           "slurm:%llu used at most %s of %s asked on device %u%s; --schedgpu-mem=%llu%c would %s",
           (unsigned long long)job_id, schedgpu_format_bytes(used_bytes, used),
           schedgpu_format_bytes(asked_bytes, asked), device, waited,
           (unsigned long long)(whole ? mib / 1024 : mib), whole ? 'G' : 'M',
           little ? "spare it the wait for more" : "do");
  return true;
}

static uint64_t context_of(const struct sg_node *node, uint32_t device) {
  for (uint32_t d = 0; d < node->devices.count; d++)
    if (node->devices.device[d].spec.index == device)
      return node->devices.device[d].spec.context_bytes;
  return 0;
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
  struct schedgpu_job_use use;
  uint32_t most = 0;
  uint64_t most_bytes = 0;
  if (!ask(admin, job_id, until_ns, &job, &use))
    return false;
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++) {
    uint64_t context = context_of(node, d);
    uint64_t used = use.peak_bytes[d] > context ? use.peak_bytes[d] - context : 0;
    most = used > most_bytes ? d : most;
    most_bytes = used > most_bytes ? used : most_bytes;
  }
  return sg_end_hint_text(job_id, most, job.budget_bytes[most], most_bytes, use.waited_ns, text,
                          size);
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

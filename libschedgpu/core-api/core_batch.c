/* core_batch.c - several transitions in one call: schedgpu_core_batch.h. */
#include "schedgpu_core_batch.h"
#include "core_api.h"

/** Adds the grants of the last transition, except those to the process in `slot`. */
static void note_grants(schedgpu_core *core, uint32_t slot) {
  for (uint32_t i = 0; i < core->wakes.count; i++) {
    uint16_t woken = core->wakes.waiter[i];
    bool granted = woken < SG_SLOTS && core->region.waiter[woken].state == SG_GRANTED;
    if (granted && woken != slot && core->granted.count < SG_SLOTS)
      core->granted.waiter[core->granted.count++] = woken;
  }
  core->wakes.count = 0;
}

/** The device of a step: its contexts come first, then its memory. */
static uint32_t device_of_step(uint32_t device_mask, uint64_t step) {
  uint32_t place = (uint32_t)(step % (uint32_t)__builtin_popcount(device_mask));
  for (; place > 0; place--)
    device_mask &= device_mask - 1;
  return (uint32_t)__builtin_ctz(device_mask);
}

static uint32_t mask_of(const schedgpu_core *core, uint32_t slot) {
  uint32_t job =
      slot < SG_SLOTS ? sg_client_job(&core->region, &core->region.client[slot]) : SG_NONE;
  return job == SG_NONE ? 0 : core->region.job[job].device_mask;
}

/** Asks until a request waits or all requests are done. */
static int ask_for_rest(schedgpu_core *core, uint32_t slot, uint64_t now_ns, uint64_t *progress) {
  uint32_t mask = mask_of(core, slot);
  uint32_t devices = (uint32_t)__builtin_popcount(mask);
  while (progress[SCHEDGPU_CORE_STEP] < 2 * (uint64_t)devices) {
    bool context = progress[SCHEDGPU_CORE_STEP] < devices;
    int rc = schedgpu_core_ask(core, slot, device_of_step(mask, progress[SCHEDGPU_CORE_STEP]),
                               progress[SCHEDGPU_CORE_BYTES],
                               context ? SCHEDGPU_CORE_CONTEXT : SCHEDGPU_CORE_MEMORY, 1, now_ns,
                               &progress[SCHEDGPU_CORE_TICKET]);
    note_grants(core, slot);
    if (rc == SCHEDGPU_EWOULDBLOCK && progress[SCHEDGPU_CORE_TICKET] != 0)
      return SCHEDGPU_OK;
    if (rc != SCHEDGPU_OK)
      return rc;
    progress[SCHEDGPU_CORE_STEP]++;
  }
  return SCHEDGPU_OK;
}

static int begin(schedgpu_core *core, uint64_t job_id, int32_t priority, uint32_t device_mask,
                 uint64_t bytes, uint64_t now_ns) {
  uint64_t budget_bytes[SCHEDGPU_MAX_DEVICES];
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++)
    budget_bytes[d] = device_mask & 1u << d ? bytes : 0;
  return schedgpu_core_job_begin(core, job_id, 1, SCHEDGPU_MODE_PEAK, 0, budget_bytes, priority, 1,
                                 device_mask, SCHEDGPU_CORE_NONE, now_ns);
}

int schedgpu_core_enter(schedgpu_core *core, uint64_t job_id, int32_t priority,
                        uint32_t device_mask, uint64_t bytes, uint64_t now_ns, uint64_t *progress) {
  core->granted.count = 0;
  progress[SCHEDGPU_CORE_TICKET] = 0;
  progress[SCHEDGPU_CORE_STEP] = 0;
  progress[SCHEDGPU_CORE_BYTES] = bytes;
  int rc = begin(core, job_id, priority, device_mask, bytes, now_ns);
  if (rc != SCHEDGPU_OK)
    return rc;
  int slot = schedgpu_core_attach(core, job_id);
  rc = slot < 0 ? slot : ask_for_rest(core, (uint32_t)slot, now_ns, progress);
  if (rc == SCHEDGPU_OK)
    return slot;
  if (slot >= 0)
    schedgpu_core_remove(core, (uint32_t)slot, now_ns);
  schedgpu_core_job_end(core, job_id, now_ns);
  note_grants(core, SG_NONE);
  return rc;
}

int schedgpu_core_resume(schedgpu_core *core, uint32_t slot, uint64_t now_ns, uint64_t *progress) {
  core->granted.count = 0;
  uint64_t ticket = progress[SCHEDGPU_CORE_TICKET];
  progress[SCHEDGPU_CORE_TICKET] = 0;
  int rc = schedgpu_core_settle(core, slot, ticket, now_ns);
  note_grants(core, slot);
  if (rc != SCHEDGPU_OK)
    return rc;
  progress[SCHEDGPU_CORE_STEP]++;
  return ask_for_rest(core, slot, now_ns, progress);
}

int schedgpu_core_leave(schedgpu_core *core, uint32_t slot, uint64_t job_id, uint64_t now_ns) {
  core->granted.count = 0;
  schedgpu_core_remove(core, slot, now_ns);
  note_grants(core, slot);
  core->wakes.count = 0;
  uint32_t job = sg_job_find(&core->region, SCHEDGPU_JOB_SLURM, job_id);
  if (job == SG_NONE)
    return SCHEDGPU_ENOJOB;
  /* No other process writes this region: the sums need no recount. */
  int rc = sg_job_end_in_copy(&core->region, job, now_ns, &core->wakes);
  note_grants(core, slot);
  return rc;
}

int schedgpu_core_granted(const schedgpu_core *core, uint32_t *slots, uint32_t capacity) {
  if (core->granted.count > capacity)
    return SCHEDGPU_EINVAL;
  for (uint32_t i = 0; i < core->granted.count; i++)
    slots[i] = core->granted.waiter[i];
  return (int)core->granted.count;
}

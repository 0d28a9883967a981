/* layout.c - offsets, sizes and counts by name. Other languages learn them only here. */
#include "../rules/core.h"
#include <stddef.h>
#include <string.h>

struct entry {
  const char *name;
  int64_t value;
};

#define OFFSET(prefix, type, field)                                                                \
  { prefix #field, (int64_t)offsetof(struct type, field) }
#define TABLE(name, array)                                                                         \
  {name ".offset", (int64_t)offsetof(struct sg_region, array)},                                    \
      {name ".stride", (int64_t)sizeof(((struct sg_region *)0)->array[0])}, {                      \
    name ".count", (int64_t)(sizeof(((struct sg_region *)0)->array) /                              \
                             sizeof(((struct sg_region *)0)->array[0]))                            \
  }
#define HEADER(field) OFFSET("region.", sg_header, field)
#define DEVICE(field) OFFSET("device.", sg_device, field)
#define JOB(field) OFFSET("job.", sg_job, field)
#define JOB_FIGURE(field) JOB(field),
#define ENDED_FIGURE(field) ENDED(field),
#define CLIENT(field) OFFSET("client.", sg_client, field)
#define WAITER(field) OFFSET("waiter.", sg_waiter, field)
#define ENDED(field) OFFSET("ended.", sg_ended, field)
#define LANE(field) OFFSET("lane.", sg_lane, field)
#define TURN(field) OFFSET("turn.", sg_turn, field)
#define JOB_SPEC(field) OFFSET("job_spec.", schedgpu_job_spec, field)
#define DEVICE_SPEC(field) OFFSET("device_spec.", schedgpu_device_spec, field)
#define SETUP(field) OFFSET("setup.", schedgpu_setup, field)
#define REAPED(field) OFFSET("reaped.", schedgpu_reaped, field)
#define REGION_INFO(field) OFFSET("region_info.", schedgpu_region_info, field)

static const struct entry entries[] = {
    {"layout.version", SG_LAYOUT_VERSION},
    {"layout.unit_bytes", SG_UNIT_BYTES},
    {"sizeof.region", sizeof(struct sg_region)},
    HEADER(magic),
    HEADER(version),
    HEADER(stamp),
    HEADER(size),
    HEADER(ready),
    HEADER(device_count),
    HEADER(created_ns),
    HEADER(policy),
    HEADER(overtake_limit),
    HEADER(grace_ns),
    HEADER(deadlock_rule),
    HEADER(lock),
    HEADER(seq),
    HEADER(ticket),
    HEADER(lane_ticket),
    HEADER(recoveries),
    HEADER(reaped_clients),
    HEADER(grants),
    HEADER(repairs),
    HEADER(ended),
    HEADER(refusals),
    TABLE("device", device),
    DEVICE(state),
    DEVICE(index),
    DEVICE(total_bytes),
    DEVICE(reserved_bytes),
    DEVICE(context_bytes),
    DEVICE(used_bytes),
    DEVICE(context_used_bytes),
    DEVICE(unreserved_bytes),
    DEVICE(foreign_bytes),
    DEVICE(waiting),
    DEVICE(uuid),
    DEVICE(name),
    TABLE("job", job),
    JOB(state),
    JOB(kind),
    JOB(id),
    JOB(uid),
    JOB(priority),
    JOB(mode),
    JOB(device_mask),
    JOB(flags),
    JOB(held_mask),
    JOB(admitted),
    JOB(processes),
    JOB(begun_ns),
    JOB(wait_ns),
    JOB(budget_bytes),
    JOB(reserved_bytes),
    JOB(overrun_bytes),
    JOB(held_since_ns),
    SG_JOB_FIGURES(JOB_FIGURE) JOB(peak_bytes),
    JOB(context_peak_bytes),
    JOB(name),
    JOB(refused_bytes),
    JOB(refusals),
    JOB(shares_lane),
    JOB(lane_policy),
    JOB(share),
    JOB(length_ns),
    JOB(persistent_bytes),
    JOB(lane),
    JOB(service_ns),
    JOB(turns),
    JOB(switches),
    JOB(credit_ns),
    JOB(turn_waited_ns),
    JOB(kept_bytes),
    TABLE("client", client),
    CLIENT(state),
    CLIENT(pid),
    CLIENT(pid_namespace),
    CLIENT(job),
    CLIENT(uid),
    CLIENT(contexts),
    CLIENT(lease),
    CLIENT(peak_units),
    CLIENT(refused),
    TABLE("waiter", waiter),
    WAITER(state),
    WAITER(client),
    WAITER(job),
    WAITER(device),
    WAITER(device_mask),
    WAITER(kind),
    WAITER(priority),
    WAITER(overtaken),
    WAITER(ticket),
    WAITER(bytes),
    WAITER(since_ns),
    WAITER(deadline_ns),
    TABLE("ended", ended),
    ENDED(sequence),
    ENDED(id),
    ENDED(kind),
    ENDED(uid),
    ENDED(priority),
    ENDED(mode),
    ENDED(device_mask),
    ENDED(begun_ns),
    ENDED(ended_ns),
    SG_JOB_FIGURES(ENDED_FIGURE) ENDED(budget_bytes),
    ENDED(peak_bytes),
    ENDED(context_peak_bytes),
    ENDED(name),
    ENDED(refused_bytes),
    ENDED(refusals),
    ENDED(lane_policy),
    ENDED(turns),
    ENDED(switches),
    ENDED(service_ns),
    ENDED(turn_waited_ns),
    ENDED(kept_bytes),
    TABLE("lane", lane),
    LANE(turn),
    LANE(waiting),
    LANE(members),
    LANE(device),
    LANE(policy),
    LANE(bytes),
    LANE(begun_ns),
    LANE(busy_ns),
    LANE(idle_since_ns),
    LANE(switches),
    TABLE("turn", turn),
    TURN(state),
    TURN(overtaken),
    TURN(ticket),
    TURN(since_ns),
    TURN(lane_bytes),
    TURN(door),
    {"sizeof.job_spec", sizeof(struct schedgpu_job_spec)},
    JOB_SPEC(job_id),
    JOB_SPEC(kind),
    JOB_SPEC(uid),
    JOB_SPEC(priority),
    JOB_SPEC(mode),
    JOB_SPEC(device_mask),
    JOB_SPEC(flags),
    JOB_SPEC(processes),
    JOB_SPEC(lane),
    JOB_SPEC(share),
    JOB_SPEC(wait_ns),
    JOB_SPEC(length_ns),
    JOB_SPEC(persistent_bytes),
    JOB_SPEC(budget_bytes),
    JOB_SPEC(name),
    {"sizeof.device_spec", sizeof(struct schedgpu_device_spec)},
    DEVICE_SPEC(index),
    DEVICE_SPEC(total_bytes),
    DEVICE_SPEC(reserved_bytes),
    DEVICE_SPEC(context_bytes),
    DEVICE_SPEC(uuid),
    DEVICE_SPEC(name),
    {"sizeof.setup", sizeof(struct schedgpu_setup)},
    SETUP(policy),
    SETUP(device_count),
    SETUP(overtake_limit),
    SETUP(group),
    SETUP(grace_ns),
    SETUP(quantum_ns),
    SETUP(deadlock_rule),
    SETUP(device),
    {"sizeof.reaped", sizeof(struct schedgpu_reaped)},
    REAPED(clients),
    REAPED(jobs),
    REAPED(bytes),
    REAPED(granted),
    {"sizeof.region_info", sizeof(struct schedgpu_region_info)},
    REGION_INFO(shmid),
    REGION_INFO(mode),
    REGION_INFO(uid),
    REGION_INFO(gid),
    REGION_INFO(attached),
    REGION_INFO(created_ns),
    REGION_INFO(repairs),
    REGION_INFO(checkpoint_age_ns),
    REGION_INFO(live_right),
    REGION_INFO(overcommitted),
};
#define ENTRIES (sizeof entries / sizeof *entries)

int64_t schedgpu_layout_find(const char *name) {
  for (uint32_t i = 0; name && i < ENTRIES; i++)
    if (strcmp(entries[i].name, name) == 0)
      return entries[i].value;
  return -1;
}

const char *schedgpu_layout_name(uint32_t i) {
  return i < ENTRIES ? entries[i].name : NULL;
}

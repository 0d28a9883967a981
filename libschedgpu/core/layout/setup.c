/* setup.c - fills a region once, and verifies it for every process that opens it. */
#include "../rules/core.h"

#define DEFAULT_QUANTUM_NS INT64_C(1000000000)

static uint64_t round_down(uint64_t bytes) {
  return bytes - bytes % SG_UNIT_BYTES;
}

uint32_t sg_layout_stamp(void) {
  const uint32_t parts[] = {sizeof(struct sg_header),
                            sizeof(struct sg_device),
                            sizeof(struct sg_job),
                            sizeof(struct sg_client),
                            sizeof(struct sg_waiter),
                            sizeof(struct sg_ended),
                            sizeof(struct sg_lane),
                            sizeof(struct sg_turn),
                            SCHEDGPU_MAX_DEVICES,
                            SCHEDGPU_MAX_JOBS,
                            SG_SLOTS,
                            SG_SLOTS,
                            SG_ENDED,
                            SG_LANES};
  uint32_t stamp = 2166136261u; /* FNV-1a over the numbers */
  for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++)
    stamp = (stamp ^ parts[i]) * 16777619u;
  return stamp;
}

static bool terminated(const char *text, uint32_t size) {
  for (uint32_t i = 0; i < size; i++)
    if (text[i] == 0)
      return true;
  return false;
}

static int check_setup(const struct schedgpu_setup *s) {
  uint32_t seen = 0;
  if (s->device_count > SCHEDGPU_MAX_DEVICES || !schedgpu_policy_name(s->policy) ||
      s->grace_ns < 0 || s->quantum_ns < 0 || s->deadlock_rule > SCHEDGPU_DEADLOCK_AVOID)
    return SCHEDGPU_EINVAL;
  for (uint32_t i = 0; i < s->device_count; i++) {
    const struct schedgpu_device_spec *d = &s->device[i];
    if (d->index >= SCHEDGPU_MAX_DEVICES || (seen & 1u << d->index) || d->total_bytes == 0 ||
        d->reserved_bytes > d->total_bytes || d->total_bytes / SG_UNIT_BYTES > UINT32_MAX ||
        !terminated(d->uuid, sizeof d->uuid) || !terminated(d->name, sizeof d->name))
      return SCHEDGPU_EINVAL;
    seen |= 1u << d->index;
  }
  return SCHEDGPU_OK;
}

static bool same_text(const char *a, const char *b, uint32_t size) {
  for (uint32_t i = 0; i < size; i++) {
    if (a[i] != b[i])
      return false;
    if (a[i] == 0)
      return true;
  }
  return true;
}

static void copy_text(char *to, const char *from, uint32_t size) {
  for (uint32_t i = 0; i < size; i++)
    to[i] = from[i];
}

static void write_device(struct sg_region *r, const struct schedgpu_device_spec *s) {
  struct sg_device *d = &r->device[s->index];
  sg_unseal_device(r, s->index);
  SG_PUT(d->index, s->index);
  SG_PUT(d->total_bytes, round_down(s->total_bytes));
  SG_PUT(d->reserved_bytes, sg_round_up(s->reserved_bytes));
  SG_PUT(d->context_bytes, sg_round_up(s->context_bytes));
  copy_text(d->uuid, s->uuid, sizeof d->uuid);
  copy_text(d->name, s->name, sizeof d->name);
  SG_PUT(d->state, SG_ACTIVE);
  sg_seal_device(r, s->index);
  if (s->index < r->h.device_count)
    return;
  sg_unseal_header(r);
  SG_PUT(r->h.device_count, s->index + 1);
  sg_seal_header(r);
}

int sg_region_init(struct sg_region *r, const struct schedgpu_setup *setup, uint64_t now_ns) {
  int rc = check_setup(setup);
  if (rc != SCHEDGPU_OK)
    return rc;
  SG_PUT(r->h.magic, SG_MAGIC);
  SG_PUT(r->h.version, SG_LAYOUT_VERSION);
  SG_PUT(r->h.stamp, sg_layout_stamp());
  SG_PUT(r->h.size, sizeof *r);
  SG_PUT(r->h.created_ns, now_ns);
  SG_PUT(r->h.policy, setup->policy);
  SG_PUT(r->h.overtake_limit, setup->overtake_limit);
  SG_PUT(r->h.grace_ns, setup->grace_ns);
  SG_PUT(r->h.quantum_ns, setup->quantum_ns ? setup->quantum_ns : DEFAULT_QUANTUM_NS);
  SG_PUT(r->h.deadlock_rule, setup->deadlock_rule);
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++)
    sg_seal_device(r, d); /* an absent device is sealed too */
  for (uint32_t i = 0; i < setup->device_count; i++)
    write_device(r, &setup->device[i]);
  sg_seal_header(r);
  atomic_store(&r->h.ready, 1);
  sg_crash_point();
  return SCHEDGPU_OK;
}

static bool has_jobs(const struct sg_region *r, uint32_t device) {
  for (uint32_t j = 0; j < sg_jobs_end(r); j++)
    if (r->job[j].state != SG_FREE && (r->job[j].device_mask & 1u << device))
      return true;
  return false;
}

/** The foreign memory was measured on the cards that were there before. */
static void bound_unreserved(struct sg_region *r) {
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++)
    sg_forget_foreign(r, d);
  for (uint32_t j = 0; j < sg_jobs_end(r); j++)
    if (sg_job_active(r, j))
      sg_forget_overruns(r, j);
  sg_recount(r);
}

int sg_region_update(struct sg_region *r, const struct schedgpu_setup *setup) {
  int rc = check_setup(setup);
  if (rc != SCHEDGPU_OK)
    return rc;
  for (uint32_t i = 0; i < setup->device_count; i++) {
    const struct schedgpu_device_spec *s = &setup->device[i];
    const struct sg_device *d = &r->device[s->index];
    bool known = d->state == SG_ACTIVE;
    bool same = same_text(d->uuid, s->uuid, sizeof d->uuid);
    if (known && !same && has_jobs(r, s->index))
      /* another card in this place, while jobs still count on the old one */
      return SCHEDGPU_EINVAL;
    if (!known || !has_jobs(r, s->index))
      /* jobs were admitted under the old numbers: they stay until those jobs end */
      write_device(r, s);
  }
  bound_unreserved(r);
  return SCHEDGPU_OK;
}

/** Runs without the lock: another process may be changing the header, or was killed while it
 * did. */
static bool header_valid(const struct sg_region *r) {
  for (int i = 0; i < 3; i++) {
    if (sg_header_sealed(&r->h))
      return true;
    if (*(const volatile uint64_t *)&r->h.seal == 0)
      return r->h.device_count <= SCHEDGPU_MAX_DEVICES && schedgpu_policy_name(r->h.policy);
  }
  return false;
}

int sg_region_verify(const struct sg_region *r, uint64_t size) {
  if (size < sizeof(struct sg_header) || r->h.magic != SG_MAGIC)
    return SCHEDGPU_ECORRUPT;
  if (r->h.version != SG_LAYOUT_VERSION || r->h.stamp != sg_layout_stamp())
    return SCHEDGPU_EVERSION;
  if (size != sizeof *r || r->h.size != sizeof *r || atomic_load(&r->h.ready) != 1)
    return SCHEDGPU_ECORRUPT;
  return header_valid(r) ? SCHEDGPU_OK : SCHEDGPU_ECORRUPT;
}

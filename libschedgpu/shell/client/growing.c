/* growing.c - whether an allocation would make a growable budget grow: growing.h. */
#include "self.h"
#include "growing.h"
#include "../../core/rules/growth.h"

/** True if the process has leased less than that, of a budget that may grow. */
static bool needs_more(struct sg_self *self, int ordinal, uint64_t bytes) {
  const struct sg_client *record = sg_self_enter(self);
  uint32_t d = record ? sg_self_device(self, ordinal) : SG_NONE;
  uint64_t lease = d < SCHEDGPU_MAX_DEVICES ? atomic_load(&record->lease[d]) : 0;
  bool grows = d < SCHEDGPU_MAX_DEVICES && sg_budget_grows(self->h.r, self->job);
  sg_self_exit(self);
  uint64_t leased = sg_leased(lease), in_use = sg_in_use(lease);
  return grows && (leased > in_use ? leased - in_use : 0) < sg_units_of(bytes);
}

bool sg_budget_would_grow(int device, uint64_t bytes, uint64_t *use_bytes) {
  struct sg_self *self = sg_self();
  struct schedgpu_info info;
  if (!self || !needs_more(self, device, bytes) || schedgpu_query(device, &info) != SCHEDGPU_OK)
    return false;
  bool added = !__builtin_add_overflow(info.job_used_bytes, bytes, use_bytes);
  return added && info.budget_bytes > 0 && *use_bytes > info.budget_bytes;
}

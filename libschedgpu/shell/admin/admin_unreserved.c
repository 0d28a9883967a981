/*
 * admin_unreserved.c - records unreserved memory, as the root side has measured it. It is not part
 * of the checkpoint, because it is measured again.
 */
#include "admin_handle.h"

int schedgpu_admin_set_overrun(schedgpu_admin *a, uint32_t kind, uint64_t job_id, uint32_t device,
                               uint64_t bytes) {
  struct sg_wakes wakes;
  int rc = sg_admin_enter_and_check(a, &wakes);
  if (rc != SCHEDGPU_OK)
    return rc;
  uint32_t j = sg_job_find(a->h.r, kind, job_id);
  rc = sg_set_overrun(a->h.r, j, device, bytes, sg_now_ns(), &wakes);
  sg_unlock_and_wake(&a->h, &wakes);
  return rc;
}

int schedgpu_admin_set_foreign(schedgpu_admin *a, uint32_t device, uint64_t bytes) {
  struct sg_wakes wakes;
  int rc = sg_admin_enter_and_check(a, &wakes);
  if (rc != SCHEDGPU_OK)
    return rc;
  rc = sg_set_foreign(a->h.r, device, bytes, sg_now_ns(), &wakes);
  sg_unlock_and_wake(&a->h, &wakes);
  return rc;
}

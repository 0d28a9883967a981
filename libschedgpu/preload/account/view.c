/* view.c - see view.h. */
#include "view.h"
#include "schedgpu/schedgpu.h"

/*
 * A budget does not include contexts; what the device can give does, so contexts are part of the
 * use.
 */
bool sgp_view_of(int device, struct sgp_view *view) {
  struct schedgpu_info info;
  if (schedgpu_query(device, &info) != SCHEDGPU_OK)
    return false;
  uint64_t used = info.job_used_bytes;
  if (info.budget_bytes == 0)
    used += info.job_context_bytes;
  view->total_bytes = info.budget_bytes ? info.budget_bytes : info.total_bytes;
  view->free_bytes = used < view->total_bytes ? view->total_bytes - used : 0;
  return true;
}

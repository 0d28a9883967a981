/* attach.c - see attach.h */
#include "attach.h"
#include <unistd.h>

int sg_attach_slot(struct sg_handle *h, uint32_t first, uint32_t end, uint32_t job,
                   int64_t timeout_ns) {
  if (!h->writable)
    return SCHEDGPU_EPERM;
  int rc = sg_slot_take(h, first, end);
  if (rc != SCHEDGPU_OK)
    return rc;
  rc = sg_lock(h, timeout_ns);
  if (rc != SCHEDGPU_OK) {
    sg_slot_drop(h);
    return rc;
  }
  struct sg_wakes wakes;
  wakes.count = 0; /* not the 2 KiB behind it */
  /* The record may still be that of a dead process whose byte was free. */
  sg_client_remove(h->r, h->slot, sg_now_ns(), &wakes);
  rc = sg_client_attach(h->r, h->slot, job, (uint32_t)getuid(), (int32_t)getpid(),
                        sg_pid_namespace());
  sg_unlock_and_wake(h, &wakes);
  if (rc != SCHEDGPU_OK)
    sg_slot_drop(h);
  return rc;
}

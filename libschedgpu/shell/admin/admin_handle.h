/* admin_handle.h - what the admin*.c share: the handle of the root side. */
#ifndef SG_ADMIN_HANDLE_H
#define SG_ADMIN_HANDLE_H

#include "../region/mend.h"

struct schedgpu_admin {
  struct sg_handle h;
  struct sg_claim claim; /**< nothing: the root side holds no memory */
  uint64_t repairs;
  int64_t timeout_ns;
  bool answers;    /**< it is asked to write the checkpoint (sg_checkpoint_ask) */
  int answer_lock; /**< descriptor, if so */
};

/** Takes the lock, with an own record that is right. */
int sg_admin_enter(schedgpu_admin *a);
/** Takes the lock, with an own record that is right, and everything looked at and mended. */
int sg_admin_enter_and_mend(schedgpu_admin *a, struct sg_wakes *wakes);
/** What a job has used so far. Under the lock. */
void sg_copy_use(struct schedgpu_job_use *use, const struct sg_job *job);

#endif

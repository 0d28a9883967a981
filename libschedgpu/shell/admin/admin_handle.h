/* admin_handle.h - the handle of the root side, which the admin*.c files share. */
#ifndef SG_ADMIN_HANDLE_H
#define SG_ADMIN_HANDLE_H

#include "../region/check.h"

struct schedgpu_admin {
  struct sg_handle h;
  struct sg_backup backup; /**< empty: the root side holds no memory */
  uint64_t repairs;
  int64_t timeout_ns;
  bool answers;    /**< this process writes the checkpoint on request (sg_checkpoint_ask) */
  int answer_lock; /**< descriptor of the lock file, if so */
};

/** Takes the lock, and restores this process's own record if necessary. */
int sg_admin_enter(schedgpu_admin *a);
/** Takes the lock, checks the whole region and repairs it. */
int sg_admin_enter_and_check(schedgpu_admin *a, struct sg_wakes *wakes);
/** Copies what a job has used so far. Call with the lock. */
void sg_copy_use(struct schedgpu_job_use *use, const struct sg_job *job);

#endif

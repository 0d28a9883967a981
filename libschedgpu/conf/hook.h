/*
 * hook.h - the frame of Slurm's Prolog and Epilog programs: arguments, time limit, messages and the
 * exit status that Slurm acts upon. One process runs one hook.
 */
#ifndef SG_HOOK_H
#define SG_HOOK_H

#include "node.h"

#define SG_HOOK_ERROR 2048

struct sg_hook {
  const char *name; /**< program, for messages */
  const char *version;
  const char *does; /**< one sentence for --help */
  /** The work itself: 0, or an error with its reason in `error`. */
  int (*work)(struct sg_hook *hook);
  char conf_path[PATH_MAX];
  struct sg_node node;
  uint64_t job_id;
  bool jobs_fault; /**< the error is the job's own: the node is as good as before */
  char error[SG_HOOK_ERROR];
};

/** Runs the hook; the process's exit status. */
int sg_hook_main(struct sg_hook *hook, int argc, char **argv);

/** Reads schedgpu.conf; its HookTimeout and OnHookFailure are in force from here on. */
int sg_hook_read_conf(struct sg_hook *hook);

/** Lock time-out for calls on the region: shorter than the hook's, so that the reason is told. */
int64_t sg_hook_lock_timeout_ns(const struct sg_hook *hook);

/** A decimal number of the environment, all of it. False if it is not there or is something else.
 */
bool sg_hook_number(const char *name, uint64_t most, uint64_t *number);

/** Says what could not be done and does not fail the hook. */
void sg_hook_log(const struct sg_hook *hook, const char *text);

#endif

/*
 * hook.h - the common part of Slurm's Prolog and Epilog programs: arguments, time limit, messages,
 * and the exit status on which Slurm acts. One process runs one hook.
 */
#ifndef SG_HOOK_H
#define SG_HOOK_H

#include "node.h"

#define SG_HOOK_ERROR 2048

struct sg_hook {
  const char *name; /**< name of the program, for messages */
  const char *version;
  const char *does; /**< one sentence for --help */
  /** The work of the hook: 0, or an error with its reason in `error`. */
  int (*work)(struct sg_hook *hook);
  char conf_path[PATH_MAX];
  struct sg_node node;
  uint64_t job_id;
  bool jobs_fault; /**< the error is the job's own and not the node's */
  bool unfit;      /**< no job can run on the node: it is drained whatever OnHookFailure says */
  char error[SG_HOOK_ERROR];
};

/** Runs the hook. Returns the exit status of the process. */
int sg_hook_main(struct sg_hook *hook, int argc, char **argv);

/** Reads schedgpu.conf. From now on its HookTimeout and OnHookFailure apply. */
int sg_hook_read_conf(struct sg_hook *hook);

/**
 * The time-out of the region's lock in ns: shorter than the hook's, so that the hook can report the
 * reason.
 */
int64_t sg_hook_lock_timeout_ns(const struct sg_hook *hook);

/**
 * Reads a decimal number from the environment. False if the variable is missing or is anything
 * else.
 */
bool sg_hook_number(const char *name, uint64_t most, uint64_t *number);

/** Logs a problem that does not fail the hook. */
void sg_hook_log(const struct sg_hook *hook, const char *text);

#endif

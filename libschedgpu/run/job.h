/*
 * job.h - a job of `schedgpu run`: turns the user's options into a registered job and the
 * environment of its command. Knows nothing of Slurm.
 */
#ifndef SGR_JOB_H
#define SGR_JOB_H

#include "arguments.h"
#include "registration.h"
#include "schedgpu/conf.h"

/** The result of a step. */
enum sgr_fate {
  SGR_BEGUN,
  SGR_WRONG_USAGE,   /**< the command line is wrong: the reason is in `error` */
  SGR_FAILED,        /**< the job cannot run: the reason is in `error` */
  SGR_UNSCHEDULABLE, /**< this node cannot schedule the job: the reason is in `error` */
};

/** Everything about the job. Large: not for the stack. */
struct sgr_job {
  struct sgr_arguments arguments;
  const char *schedgpu; /**< path of the `schedgpu` command, which creates regions */
  char **users;         /**< the user's environment */
  struct sg_conf conf;
  bool conf_read; /**< `conf` was read from the file */
  char conf_path[PATH_MAX];
  char run_dir[PATH_MAX];
  char library[PATH_MAX]; /**< for LD_PRELOAD; "" in mode gate, where the command needs none */
  struct sg_job_options options;
  struct sgr_registration registration;
  bool learned;    /**< the budget is what earlier runs needed */
  bool unmeasured; /**< a lane job that declared no persistent memory, and no agent answers */
  char error[3 * PATH_MAX];
};

/** Begins the job, and changes this process's environment to that of the command. */
enum sgr_fate sgr_job_begin(struct sgr_job *job);

/**
 * In mode gate: waits until the budget is reserved, and prints the wait on stderr. `*passed` is
 * false after a time-out.
 */
enum sgr_fate sgr_job_pass_gate(struct sgr_job *job, bool *passed);

/**
 * True if a command that cannot be scheduled is not to run. A configuration file that cannot be
 * read has no influence.
 */
bool sgr_job_refuses(const struct sgr_job *job);

/** Writes the name of the job: the file name of the command. */
void sgr_job_name(const char *command, char *name, size_t size);

/**
 * SGR_FAILED if the process is in a Slurm job, which has its own budget, unless `uid` is root; else
 * SGR_BEGUN.
 *
 * @param cgroups content of /proc/self/cgroup
 */
enum sgr_fate sgr_job_refuse_inside(const char *cgroups, uint32_t uid, const char *command,
                                    char *error, size_t error_size);

#endif

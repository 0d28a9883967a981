/* job.h - a job of `schedgpu run`, from what its user wishes to the environment of its command. */
#ifndef SGR_JOB_H
#define SGR_JOB_H

#include "arguments.h"
#include "place.h"
#include "schedgpu/conf.h"

/** What became of the wish. */
enum sgr_fate {
  SGR_BEGUN,
  SGR_WRONG_USAGE, /**< the command line is wrong: the reason is in `error` */
  SGR_FAILED,      /**< it cannot be had: the reason is in `error` */
  SGR_NOT_HERE,    /**< this node cannot schedule it, for the reason in `error` */
};

/** Large: not for the stack. */
struct sgr_job {
  struct sgr_arguments arguments;
  const char *schedgpu; /**< the command that makes regions */
  char **users;         /**< environment as it was */
  struct sg_conf conf;
  bool conf_read; /**< `conf` is what the file says */
  char conf_path[PATH_MAX];
  char run_dir[PATH_MAX];
  char library[PATH_MAX]; /**< for LD_PRELOAD; "": behind a gate the command needs none */
  struct sg_job_options options;
  struct sgr_place place;
  bool learned; /**< the budget is what earlier runs needed */
  char error[3 * PATH_MAX];
};

/** Begins the job, and makes this process's environment that of the command. */
enum sgr_fate sgr_job_begin(struct sgr_job *job);

/**
 * In mode gate: waits until the budget is reserved, which stderr tells. `*passed` is false if the
 * time was over.
 */
enum sgr_fate sgr_job_pass_gate(struct sgr_job *job, bool *passed);

/** Whether a command that cannot be scheduled is not to run; a file that cannot be read does not
 * decide. */
bool sgr_job_refuses(const struct sgr_job *job);

/** Name of the job: the command's, without its folder. */
void sgr_job_name(const char *command, char *name, size_t size);

/**
 * SGR_FAILED in a Slurm job, which has a budget of its own, unless `uid` is root.
 *
 * @param cgroups /proc/self/cgroup
 */
enum sgr_fate sgr_job_refuse_inside(const char *cgroups, uint32_t uid, const char *command,
                                    char *error, size_t error_size);

#endif

/* remote.h - the part of the plugin that runs on a compute node, inside slurmstepd. */
#ifndef SG_REMOTE_H
#define SG_REMOTE_H

#include <slurm/spank.h>

/**
 * As root, before the step's tasks: makes the plan. Never fails: the tasks report problems to the
 * user.
 */
int sg_remote_init_post_opt(spank_t spank, const char *conf_path);

/**
 * As the user, in each task: sets its environment. 0, or -1 after a message if the task may not
 * run.
 */
int sg_remote_task_init(spank_t spank);

/**
 * In slurmstepd, after each task. After the last one it prints which programs of the step ran
 * unscheduled, and what the next run should ask for.
 * Slurm still has the job's stderr open, so no file of the user is opened.
 */
int sg_remote_task_exit(spank_t spank);

#endif

/* remote.h - what the plugin does on a compute node, inside slurmstepd. */
#ifndef SG_REMOTE_H
#define SG_REMOTE_H

#include <slurm/spank.h>

/** As root, before the step's tasks: makes the plan. Never fails: the tasks tell the user. */
int sg_remote_init_post_opt(spank_t spank, const char *conf_path);

/** As the user, in each task: its environment, or why it may not run (-1). */
int sg_remote_task_init(spank_t spank);

/** In slurmstepd, after each task: after the last one what the next run should ask for. Slurm still
 * has the job's stderr open: nobody opens a file of the user. */
int sg_remote_task_exit(spank_t spank);

#endif

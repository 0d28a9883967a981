/* agent.h - `schedgpu agent` as built, on a node of the bench. */
#ifndef BENCH_AGENT_H
#define BENCH_AGENT_H

#include "bench_node.h"
#include <stdbool.h>

#define AGENT_FOLDER 4096

struct agent {
  pid_t pid;
  char folder[AGENT_FOLDER]; /**< the folder of its configuration and its log */
};

bool agent_is_built(void);
/** Returns when the agent reports that it is ready (sd_notify). */
struct agent agent_start(const struct node *node);
void agent_end(struct agent *agent, const struct node *node);
/** The same for a `folder` that has schedgpu.conf and devices.conf of node gpu1, and gets
 * agent.log. */
struct agent agent_start_in(const char *folder);
/** Removes what an agent leaves in the run directory. */
void agent_forget(const char *run_dir);
void agent_stop(struct agent *agent, const struct node *node);

#endif

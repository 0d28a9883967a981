/* agent.h - `schedgpu agent` as built, on a node of the bench. */
#ifndef BENCH_AGENT_H
#define BENCH_AGENT_H

#include "bench_node.h"
#include <stdbool.h>

#define AGENT_FOLDER 4096

struct agent {
  pid_t pid;
  char folder[AGENT_FOLDER]; /**< of its configuration and its log */
};

bool agent_is_built(void);
/** Returns when it says that it is ready (sd_notify). */
struct agent agent_start(const struct node *node);
void agent_end(struct agent *agent, const struct node *node);
/** The same where `folder` has schedgpu.conf and devices.conf of node gpu1, and keeps agent.log. */
struct agent agent_start_in(const char *folder);
/** Removes what an agent leaves in the run directory. */
void agent_forget(const char *run_dir);
void agent_stop(struct agent *agent, const struct node *node);

#endif

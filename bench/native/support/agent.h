/* agent.h - `schedgpu agent` as built, on a node of the bench. */
#ifndef BENCH_AGENT_H
#define BENCH_AGENT_H

#include "bench_node.h"
#include <stdbool.h>

struct agent {
  pid_t pid;
  char folder[64]; /**< of its configuration and its log */
};

bool agent_is_built(void);
/** Returns when it says that it is ready (sd_notify). */
struct agent agent_start(const struct node *node);
void agent_end(struct agent *agent, const struct node *node);

#endif

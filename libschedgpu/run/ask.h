/* ask.h - what the agent of a node tells a user's command. */
#ifndef SGR_ASK_H
#define SGR_ASK_H

#include <stdint.h>

/**
 * The budget that this user's earlier runs of `name` needed; 0: nothing is known, or no agent says
 * so. An agent that is stopped or busy keeps nobody longer than 2 s.
 */
uint64_t sgr_ask_learned(const char *run_dir, const char *name);

#endif

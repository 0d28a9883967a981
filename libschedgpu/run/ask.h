/* ask.h - asks the agent of a node on the query socket. Never waits long for it. */
#ifndef SGR_ASK_H
#define SGR_ASK_H

#include <stdint.h>

/**
 * The budget in bytes that earlier runs of `name` by this user needed. 0: nothing is known, or no
 * agent answers. Waits for at most 2 s.
 */
uint64_t sgr_ask_learned(const char *run_dir, const char *name);

#endif

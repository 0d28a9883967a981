/* ask.h - asks the agent of a node on the query socket. Never waits long for it. */
#ifndef SGR_ASK_H
#define SGR_ASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Name of the query socket in the run directory. */
#define SGR_QUERY_SOCKET "sight.sock"

/**
 * Sends a request, one line, and reads the whole answer, at most `size` bytes. Returns its length;
 * 0: no agent answers, or it is longer.
 *
 * @param timeout_s how long nothing may happen at each step, in seconds
 */
size_t sgr_ask(const char *run_dir, const char *request, int timeout_s, char *answer, size_t size);

#define SGR_LEARNED_BUDGET "\"suggestedBytes\":"
#define SGR_LEARNED_PERSISTENT "\"persistentBytes\":"
/**
 * Stores what earlier runs of `name` by this user needed, in bytes: SGR_LEARNED_BUDGET, or what
 * they kept between iterations, SGR_LEARNED_PERSISTENT; 0: nothing is known. False if no agent
 * answers. Waits for at most 2 s.
 */
bool sgr_ask_learned(const char *run_dir, const char *name, const char *key, uint64_t *bytes);

#endif

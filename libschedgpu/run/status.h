/*
 * status.h - `schedgpu status` on a node with an agent: prints the answer of the agent, without a
 * start of Java.
 */
#ifndef SGR_STATUS_H
#define SGR_STATUS_H

/** Exit code: nothing was printed, and the script must start Java for the command. */
#define SGR_STATUS_ASK_JAVA 75

/**
 * Asks the agent, and prints its answer on stdout. Returns 0, or 1 if the region holds impossible
 * numbers. Returns SGR_STATUS_ASK_JAVA in three cases: this program does not understand the words,
 * the query socket belongs to neither root nor this user, or no complete answer comes and nothing
 * is received for 1 s.
 *
 * @param words the words behind `schedgpu`, NULL behind the last
 */
int sgr_status(char **words);

#endif

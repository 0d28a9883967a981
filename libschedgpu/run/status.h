/*
 * status.h - `schedgpu status` where an agent answers: its answer is printed as it is, without a
 * start of Java.
 */
#ifndef SGR_STATUS_H
#define SGR_STATUS_H

/** Exit code: nothing was printed, and the script starts Java for the command. */
#define SGR_STATUS_ASK_JAVA 75

/**
 * Asks the agent, and prints its answer on stdout. Returns 0, or 1 if the region holds numbers that
 * cannot be right. Returns SGR_STATUS_ASK_JAVA if the words are not understood here, if the query
 * socket is neither root's nor this user's, or if no whole answer comes and nothing happens for 1
 * s.
 *
 * @param words the words behind `schedgpu`, NULL behind the last
 */
int sgr_status(char **words);

#endif

/*
 * command.h - the command of a job: started, and given the signals that would end the process that
 * started it. One in a process.
 */
#ifndef SGR_COMMAND_H
#define SGR_COMMAND_H

#include <stddef.h>

/**
 * From here on SIGINT, SIGTERM and SIGHUP, those that are not ignored, do not end this process by
 * themselves. While `end` is set one of them calls it, and then ends the process with 128 + its
 * number; else it is kept for the command. 0, or an errno.
 */
int sgr_signals_catch(void);
/** `end` runs in another thread; NULL: from here on there is none. */
void sgr_signals_end_with(void (*end)(void *), void *argument);

/**
 * Starts the command in `environment`, gives it what signals come, and waits for its end. Returns
 * what it exited with, or 128 + the signal that ended it; -1 with `errno` if it cannot be started.
 */
int sgr_command_run(char *const *command, char *const *environment);

/** Runs it and takes what it says on stdout and stderr. As above. */
int sgr_command_ask(char *const *command, char *const *environment, char *said, size_t size);

#endif

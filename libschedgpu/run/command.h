/*
 * command.h - starts the command of a job and forwards the signals that would end this process. One
 * command per process.
 */
#ifndef SGR_COMMAND_H
#define SGR_COMMAND_H

#include <stddef.h>

/**
 * From now on SIGINT, SIGTERM and SIGHUP, unless they are ignored, do not end this process
 * directly. While `end` is set, such a signal calls it and then ends the process with 128 + its
 * number. Otherwise it is kept for the command. Returns 0 or an errno.
 */
int sgr_signals_catch(void);
/** `end` runs in another thread. NULL: nothing is called from now on. */
void sgr_signals_end_with(void (*end)(void *), void *argument);

/**
 * Starts the command in `environment`, forwards signals to it, and waits for its end. A Ctrl-C of
 * the terminal is not forwarded: the command gets its own. Returns its exit code, or 128 + the
 * signal that ended it; -1 with `errno` if it cannot be started.
 */
int sgr_command_run(char *const *command, char *const *environment);

/**
 * Runs a command and reads its stdout and stderr into `said` of `size` bytes, NUL terminated.
 * Returns as above.
 */
int sgr_command_ask(char *const *command, char *const *environment, char *said, size_t size);

#endif

/* stderr.h - writes a line to stderr from inside a process that belongs to the user. */
#ifndef SG_STDERR_H
#define SG_STDERR_H

#include <stddef.h>

/**
 * Writes the text with one call, so that lines of several processes do not mix. Never raises
 * SIGPIPE in the process, is not a cancellation point, and keeps errno. Errors are ignored.
 */
void sg_write_stderr(const char *text, size_t length);

#endif

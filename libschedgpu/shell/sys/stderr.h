/* stderr.h - a line on stderr from inside a process that is not ours. */
#ifndef SG_STDERR_H
#define SG_STDERR_H

#include <stddef.h>

/**
 * Writes in one piece, so that lines of several processes do not mix. Never raises SIGPIPE in the
 * host, is no cancellation point, keeps errno. Nothing can be done if it fails.
 */
void sg_write_stderr(const char *text, size_t length);

#endif

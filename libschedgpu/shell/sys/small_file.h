/* small_file.h - reads a small text file without stdio, which would use the program's malloc. */
#ifndef SG_SMALL_FILE_H
#define SG_SMALL_FILE_H

#include <stdbool.h>
#include <stddef.h>

/**
 * Reads the first size - 1 bytes and terminates them. False if the file cannot be read. Keeps
 * errno.
 */
bool sg_read_small_file(const char *path, char *text, size_t size);

#endif

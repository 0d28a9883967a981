/*
 * small_file.h - reads a small text file without stdio, which takes the host's memory.
 */
#ifndef SGP_SMALL_FILE_H
#define SGP_SMALL_FILE_H

#include <stdbool.h>
#include <stddef.h>

/** The first size - 1 bytes, and a zero behind them. False if it cannot be read. Keeps errno. */
bool sgp_read_small_file(const char *path, char *text, size_t size);

#endif

/* library.h - whether the programs of a task can load the preload library. */
#ifndef SG_LIBRARY_H
#define SG_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

/**
 * True if the user of this process can load `library`. Otherwise the reason, in one line. The check
 * of root, before the step, passes where the user may not read. With an unreadable library ld.so
 * prints a line for each program, and runs it without the library.
 */
bool sg_library_loads(const char *library, char *reason, size_t size);

#endif

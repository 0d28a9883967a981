/* process.h - identifies a process, so that a reused pid is not mistaken for the old process. */
#ifndef EMULATED_GPU_PROCESS_H
#define EMULATED_GPU_PROCESS_H

#include <stdint.h>

/* Start time of the calling process in clock ticks since boot; 0 if /proc does not say. */
uint64_t process_own_start(void);

/* Returns 0 if the process with this pid and start time is gone; a zombie is gone. */
int process_alive(int pid, uint64_t start_ticks);

/* Parses the state letter, the number of threads and the start time from the text of
 * /proc/<pid>/stat. Returns -1 if the text has another form. */
int process_parse_stat(const char *text, char *state, long *threads, uint64_t *start_ticks);

#endif

/* Who a process is, so that a pid used again is not taken for the old one. */
#ifndef EMULATED_GPU_PROCESS_H
#define EMULATED_GPU_PROCESS_H

#include <stdint.h>

/* Start time of the calling process in clock ticks since boot; 0 when /proc does not tell. */
uint64_t process_own_start(void);

/* 0 when the process that had this pid and start time is gone; a zombie is gone. */
int process_alive(int pid, uint64_t start_ticks);

/* Takes the state letter, the number of threads and the start time out of the text of
 * /proc/<pid>/stat. Returns -1 when the text is not of that form. */
int process_parse_stat(const char *text, char *state, long *threads, uint64_t *start_ticks);

#endif

/* process.c - see process.h. */
#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int process_parse_stat(const char *text, char *state, long *threads, uint64_t *start_ticks) {
  /* The name, in parentheses, may itself hold blanks and parentheses: count from the last one. */
  const char *end_of_name = strrchr(text, ')');
  unsigned long long ticks;
  if (!end_of_name)
    return -1;
  int found = sscanf(end_of_name + 1,
                     " %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
                     "%ld %*s %llu",
                     state, threads, &ticks);
  if (found != 3)
    return -1;
  *start_ticks = ticks;
  return 0;
}

static int read_stat(int pid, char *text, size_t size) {
  char path[32];
  /* qemu-user makes up /proc/PID/stat of the process itself, with another start time, but not under
   * this path. */
  snprintf(path, sizeof path, "/proc//%d/stat", pid);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return -1;
  ssize_t length = read(fd, text, size - 1);
  close(fd);
  if (length <= 0)
    return -1;
  text[length] = 0;
  return 0;
}

uint64_t process_own_start(void) {
  char text[1024], state;
  long threads;
  uint64_t ticks;
  if (read_stat(getpid(), text, sizeof text) || process_parse_stat(text, &state, &threads, &ticks))
    return 0;
  return ticks;
}

int process_alive(int pid, uint64_t start_ticks) {
  char text[1024], state;
  long threads;
  uint64_t ticks;
  if (read_stat(pid, text, sizeof text))
    /* With hidepid the file of another user's process is hidden, but kill() still finds the
     * process: only "no such process" proves that it is gone. */
    return kill(pid, 0) == 0 || errno == EPERM;
  if (process_parse_stat(text, &state, &threads, &ticks))
    return 1;
  if (start_ticks && ticks != start_ticks)
    return 0;
  /* A main thread that ended before the others is shown as a zombie while the process
   * still runs. */
  return !((state == 'Z' || state == 'X') && threads <= 1);
}

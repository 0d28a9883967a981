/* sys.c - clock, futex and /proc. */
#include "../shell.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

uint64_t sg_now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/**
 * Signals neither end the wait nor restart its time, so a process with many signals still reaches
 * the end of its slice.
 */
bool sg_futex_wait(_Atomic uint32_t *word, uint32_t expected, uint64_t ns) {
  uint64_t end_ns;
  if (__builtin_add_overflow(sg_now_ns(), ns, &end_ns))
    end_ns = INT64_MAX; /* without a limit: a time in the past would not sleep */
  struct timespec end = {(time_t)(end_ns / 1000000000u), (long)(end_ns % 1000000000u)};
  long rc;
  do
    rc = syscall(SYS_futex, word, FUTEX_WAIT_BITSET, expected, &end, NULL, FUTEX_BITSET_MATCH_ANY);
  while (rc == -1 && errno == EINTR);
  return !(rc == -1 && errno == ETIMEDOUT);
}

void sg_futex_wake(_Atomic uint32_t *word, int count) {
  syscall(SYS_futex, word, FUTEX_WAKE, count, NULL, NULL, 0);
}

char sg_proc_state(int32_t pid) {
  char path[64], text[1024];
  snprintf(path, sizeof path, "/proc/%d/stat", pid);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return '?';
  ssize_t n = read(fd, text, sizeof text - 1);
  close(fd);
  text[n > 0 ? n : 0] = 0;
  /* after the last ')': the name may hold blanks and parentheses */
  const char *end = strrchr(text, ')');
  return end && end[1] == ' ' && end[2] != 0 ? end[2] : '?';
}

uint64_t sg_pid_namespace(void) {
  struct stat st;
  return stat("/proc/self/ns/pid", &st) == 0 ? (uint64_t)st.st_ino : 0;
}

/**
 * True for a zombie: all threads have ended, and only the exit status is left. The state in /proc
 * is that of the main thread, which may end before the others.
 */
static bool is_zombie(int32_t pid) {
  int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
  struct pollfd ended = {.fd = pidfd, .events = POLLIN};
  bool zombie = pidfd >= 0 && poll(&ended, 1, 0) == 1 && (ended.revents & POLLIN);
  if (pidfd >= 0)
    close(pidfd);
  return zombie;
}

/** Returns true only if it is certain: a pid that was reused, or is in another namespace, proves
 * nothing. */
bool sg_process_gone(int32_t pid, uint64_t pid_namespace) {
  if (pid <= 0 || pid_namespace == 0 || pid_namespace != sg_pid_namespace())
    return false;
  return (kill(pid, 0) != 0 && errno == ESRCH) || is_zombie(pid);
}

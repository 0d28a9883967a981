/* sys.c - clock, futex and /proc. */
#include "../shell.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define NOT_READ INT64_MIN

/** True if the two links of a process's time namespaces lead to the same one. */
static bool in_namespace_of_children(void) {
  struct stat own, of_children;
  return stat("/proc/self/ns/time", &own) == 0 &&
         stat("/proc/self/ns/time_for_children", &of_children) == 0 &&
         own.st_ino == of_children.st_ino;
}

/** What this process's time namespace adds to CLOCK_MONOTONIC. The kernel shows that of future
 * children; 0 where it is not known to be this process's. */
static int64_t read_offset(void) {
  char text[128];
  long long seconds, ns;
  int fd =
      in_namespace_of_children() ? open("/proc/self/timens_offsets", O_RDONLY | O_CLOEXEC) : -1;
  if (fd < 0)
    return 0;
  ssize_t n = read(fd, text, sizeof text - 1);
  close(fd);
  text[n > 0 ? n : 0] = 0;
  return sscanf(text, "monotonic %lld %lld", &seconds, &ns) == 2 ? seconds * 1000000000 + ns : 0;
}

/** Read once: a process does not change its time namespace. */
static int64_t offset_ns(void) {
  static _Atomic int64_t known = NOT_READ;
  int64_t offset = atomic_load_explicit(&known, memory_order_relaxed);
  if (offset == NOT_READ) {
    int before = errno;
    offset = read_offset();
    errno = before;
    atomic_store_explicit(&known, offset, memory_order_relaxed);
  }
  return offset;
}

static uint64_t clock_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

uint64_t sg_now_ns(void) {
  return clock_ns() - (uint64_t)offset_ns();
}

/**
 * Signals neither end the wait nor restart its time, so a process with many signals still reaches
 * the end of its slice.
 */
bool sg_futex_wait(_Atomic uint32_t *word, uint32_t expected, uint64_t ns) {
  uint64_t end_ns;
  if (__builtin_add_overflow(clock_ns(), ns, &end_ns))
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

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434 /* Linux 5.3; the headers of EL 8 are of 4.18 */
#endif
int sg_pidfd_open(int32_t pid) {
  return (int)syscall(SYS_pidfd_open, pid, 0);
}

/**
 * True for a zombie: all threads have ended, and only the exit status is left. The state in /proc
 * is that of the main thread, which may end before the others.
 */
static bool is_zombie(int32_t pid) {
  int pidfd = sg_pidfd_open(pid);
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

/*
 * host_program.c - does this kernel do what schedGPU relies on? A sandbox such as gVisor has its
 * own. Prints lines: a subject, a tab, and "ok" or what is wrong.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/klog.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { READ_ALL = 3, LOG_BYTES = 1 << 18, LINE_BYTES = 512 };

static void say(const char *subject, const char *wrong) {
  printf("%s\t%s\n", subject, wrong ? wrong : "ok");
}

/* The first line of a file; NULL if it cannot be read. */
static char *first_line(const char *path) {
  static char line[LINE_BYTES];
  FILE *file = fopen(path, "r");
  char *got = file ? fgets(line, sizeof line, file) : NULL;
  if (file)
    fclose(file);
  if (got)
    line[strcspn(line, "\n")] = '\0';
  return got;
}

static void kernel(void) {
  const char *version = first_line("/proc/version");
  printf("kernel\t%s\n", version ? version : "/proc/version cannot be read");
  int is_gvisor = version && strcasestr(version, "gvisor");
  static char log[LOG_BYTES];
  int size = klogctl(READ_ALL, log, sizeof log - 1);
  is_gvisor = is_gvisor || (size > 0 && strcasestr(log, "gvisor"));
  printf("sandbox\t%s\n", is_gvisor ? "gVisor" : "no sign of gVisor");
}

/* Starts a child that calls `hold` with `what`, tells when it has, and waits to be killed. */
static pid_t holder(void (*hold)(void *), void *what) {
  int ends[2];
  char byte = 0;
  if (pipe(ends) != 0)
    return -1;
  pid_t child = fork();
  if (child == 0) {
    hold(what);
    if (write(ends[1], &byte, 1) != 1)
      _exit(1);
    for (;;)
      pause();
  }
  if (child > 0 && read(ends[0], &byte, 1) != 1)
    child = -1;
  close(ends[0]);
  close(ends[1]);
  return child;
}

static void end(pid_t child) {
  kill(child, SIGKILL);
  waitpid(child, NULL, 0);
}

static struct flock whole(void) {
  return (struct flock){.l_type = F_WRLCK, .l_whence = SEEK_SET};
}

static void lock_file(void *path) {
  int fd = open(path, O_RDWR);
  struct flock l = whole();
  if (fcntl(fd, F_OFD_SETLK, &l) != 0)
    _exit(1);
}

/* A lock of an open file: seen by others, and gone with its process. */
static const char *file_locks(void) {
  char path[] = "/tmp/schedgpu-host-XXXXXX";
  int fd = mkstemp(path);
  pid_t child = fd < 0 ? -1 : holder(lock_file, path);
  const char *wrong = NULL;
  struct flock l = whole();
  if (child < 0)
    wrong = "no file can be locked with F_OFD_SETLK";
  else if (fcntl(fd, F_OFD_GETLK, &l) != 0 || l.l_type == F_UNLCK)
    wrong = "F_OFD_GETLK does not see the lock of another process";
  if (child > 0)
    end(child);
  l = whole();
  if (!wrong && fcntl(fd, F_OFD_SETLK, &l) != 0)
    wrong = "the lock of a dead process stays";
  close(fd);
  unlink(path);
  return wrong;
}

static void lock_mutex(void *mutex) {
  if (pthread_mutex_lock(mutex) != 0)
    _exit(1);
}

/* A robust mutex in shared memory: its next owner hears that the last one died. */
static const char *robust_mutexes(void) {
  pthread_mutex_t *mutex =
      mmap(NULL, sizeof *mutex, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  pthread_mutexattr_t attributes;
  if (mutex == MAP_FAILED || pthread_mutexattr_init(&attributes) != 0 ||
      pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED) != 0 ||
      pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST) != 0 ||
      pthread_mutex_init(mutex, &attributes) != 0)
    return "no robust mutex can be made";
  pid_t child = holder(lock_mutex, mutex);
  if (child < 0)
    return "no robust mutex can be locked";
  if (pthread_mutex_trylock(mutex) != EBUSY)
    return "the mutex of another process is free";
  end(child);
  return pthread_mutex_trylock(mutex) == EOWNERDEAD ? NULL : "nobody hears of the dead owner";
}

static void nothing(void *ignored) {
  (void)ignored;
}

/* What is read of other processes, while they live. */
static const char *processes(void) {
  static const char *const files[] = {"stat", "cgroup", "maps", "status"};
  pid_t child = holder(nothing, NULL);
  const char *wrong = child < 0 ? "no child can be made" : NULL;
  static char text[LINE_BYTES];
  for (size_t i = 0; i < sizeof files / sizeof *files && !wrong; i++) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", (int)child, files[i]);
    if (!first_line(path)) {
      snprintf(text, sizeof text, "/proc/PID/%s cannot be read", files[i]);
      wrong = text;
    }
  }
  int fd = wrong ? -1 : (int)syscall(SYS_pidfd_open, child, 0);
  if (!wrong && fd < 0)
    wrong = "there is no pidfd_open";
  if (child > 0)
    end(child);
  return wrong;
}

int main(void) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  kernel();
  say("file locks", file_locks());
  say("robust mutexes", robust_mutexes());
  say("/proc of processes", processes());
  return 0;
}

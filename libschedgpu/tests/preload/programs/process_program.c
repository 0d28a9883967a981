/*
 * process_program.c - a program that starts processes and ends in every way; it knows nothing of
 * schedGPU. Obeys lines from stdin and answers each with one line.
 */
#include "cuda_abi.h"
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SLOTS = 256, FIRST = 3, DESCRIPTORS = 1024 };

extern char **environ;
static char *self;
static CUcontext context;
static CUdeviceptr slot[SLOTS];

static int begin(void) {
  CUresult result = cuInit(0);
  if (result == CUDA_SUCCESS)
    result = cuDevicePrimaryCtxRetain(&context, 0);
  return (int)(result ? result : cuCtxSetCurrent(context));
}

/* --- another process of this program --- */
static int to_child, from_child;
static pid_t child;

static pid_t start_by(const char *how, char **arguments) {
  pid_t pid = -1;
  if (strcmp(how, "posix_spawn") == 0)
    return posix_spawn(&pid, self, NULL, NULL, arguments, environ) == 0 ? pid : -1;
  pid = strcmp(how, "vfork") == 0 ? vfork() : fork();
  if (pid == 0) {
    execv(self, arguments);
    _exit(127);
  }
  return pid;
}

/* Starts a process, which allocates and stays until "join". Returns its result. */
static int spawn(const char *how, const char *bytes) {
  int down[2], up[2], result = -1;
  char in[16], out[16];
  if (pipe(down) != 0 || pipe(up) != 0)
    return -1;
  fcntl(down[1], F_SETFD, FD_CLOEXEC);
  fcntl(up[0], F_SETFD, FD_CLOEXEC);
  snprintf(in, sizeof in, "%d", down[0]);
  snprintf(out, sizeof out, "%d", up[1]);
  child = start_by(how, (char *[]){self, "child", (char *)bytes, in, out, NULL});
  close(down[0]);
  close(up[1]);
  to_child = down[1];
  from_child = up[0];
  return read(from_child, &result, sizeof result) == sizeof result ? result : -1;
}

static int be_child(char **arguments) {
  char end;
  int result = begin();
  if (result == 0)
    result = (int)cuMemAlloc_v2(&slot[0], strtoull(arguments[0], NULL, 10));
  if (write(atoi(arguments[2]), &result, sizeof result) != sizeof result)
    return 1;
  return read(atoi(arguments[1]), &end, 1) != 0;
}

static int join(void) {
  int status;
  close(to_child);
  close(from_child);
  return waitpid(child, &status, 0) == child ? status : -1;
}

/* --- a fork while another thread walks the list of loaded libraries, which locks the list --- */
static int walking[2], walked[2];

static int stop_walking(struct dl_phdr_info *info, size_t size, void *unused) {
  char go;
  (void)info, (void)size, (void)unused;
  return write(walking[1], "w", 1) != 1 || read(walked[0], &go, 1) != 1 || 1;
}

static void *walk(void *unused) {
  (void)unused;
  dl_iterate_phdr(stop_walking, NULL);
  return NULL;
}

/* Returns the driver's result in the child. */
static int fork_while_walking(void) {
  pthread_t thread;
  char there;
  int out[2], result = -1;
  if (pipe(walking) != 0 || pipe(walked) != 0 || pipe(out) != 0 ||
      pthread_create(&thread, NULL, walk, NULL) != 0 || read(walking[0], &there, 1) != 1)
    return -1;
  pid_t pid = fork();
  if (pid == 0) {
    result = (int)cuMemAlloc_v2(&slot[0], 4096);
    _exit(write(out[1], &result, sizeof result) != sizeof result);
  }
  if (read(out[0], &result, sizeof result) != sizeof result || write(walked[1], "e", 1) != 1)
    return -1;
  waitpid(pid, NULL, 0);
  pthread_join(thread, NULL);
  return result;
}

/* --- a daemon: detached, without open files; it answers through two FIFOs --- */
static void close_all(void) {
  for (int i = 0; i < DESCRIPTORS; i++)
    close(i);
}

static int become_daemon(const char *in, const char *out) {
  if (fork() != 0)
    _exit(0);
  setsid();
  if (fork() != 0)
    _exit(0);
  close_all();
  if (open(in, O_RDONLY) != 0 || open(out, O_WRONLY) != 1)
    _exit(3);
  return getpid();
}

/* --- many threads, which all hold their blocks before any of them frees one --- */
struct storm {
  int rounds;
  size_t bytes;
  pthread_barrier_t barrier;
};
static atomic_int odd_results, refusals;

static void *allocate_and_free(void *argument) {
  struct storm *storm = argument;
  cuCtxSetCurrent(context);
  for (int i = 0; i < storm->rounds; i++) {
    CUdeviceptr address;
    CUresult result = cuMemAlloc_v2(&address, storm->bytes);
    refusals += result == CUDA_ERROR_OUT_OF_MEMORY;
    odd_results += result != CUDA_SUCCESS && result != CUDA_ERROR_OUT_OF_MEMORY;
    pthread_barrier_wait(&storm->barrier);
    if (result == CUDA_SUCCESS)
      odd_results += cuMemFree_v2(address) != CUDA_SUCCESS;
    pthread_barrier_wait(&storm->barrier);
  }
  return NULL;
}

static int storm(int threads, int rounds, size_t bytes) {
  pthread_t thread[SLOTS];
  struct storm what = {.rounds = rounds, .bytes = bytes};
  pthread_barrier_init(&what.barrier, NULL, (unsigned)threads);
  for (int i = 0; i < threads; i++)
    pthread_create(&thread[i], NULL, allocate_and_free, &what);
  for (int i = 0; i < threads; i++)
    pthread_join(thread[i], NULL);
  return odd_results;
}

/* --- ends --- */
static int at_exit_slot = -1;

/* Uses CUDA late, after much was torn down; the result is part of the omitted answer. */
static void free_late(void) {
  CUdeviceptr late;
  if (at_exit_slot < 0)
    return;
  int freed = (int)cuMemFree_v2(slot[at_exit_slot]);
  int allocated = (int)cuMemAlloc_v2(&late, 4096);
  dprintf(1, "%d %d\n", freed, allocated);
}

__attribute__((destructor)) static void free_in_destructor(void) {
  free_late();
}

static void *exit_in_thread(void *unused) {
  (void)unused;
  exit(7);
}

static int end(const char *how) {
  pthread_t thread;
  if (strcmp(how, "_exit") == 0)
    _exit(7);
  if (strcmp(how, "quick_exit") == 0)
    quick_exit(7);
  if (strcmp(how, "abort") == 0)
    abort();
  if (strcmp(how, "kill") == 0)
    kill(getpid(), SIGKILL);
  if (strcmp(how, "thread") == 0 && pthread_create(&thread, NULL, exit_in_thread, NULL) == 0)
    pthread_join(thread, NULL);
  if (strcmp(how, "main-thread-first") == 0 &&
      pthread_create(&thread, NULL, exit_in_thread, NULL) == 0)
    pthread_exit(NULL);
  exit(7);
}

static int end_freeing(const char *where, int n) {
  at_exit_slot = n;
  if (strcmp(where, "quick_exit") == 0) {
    at_quick_exit(free_late);
    quick_exit(7);
  }
  if (strcmp(where, "atexit") == 0)
    atexit(free_late);
  exit(7);
}

/* A fault that only AddressSanitizer detects. */
static int overflow(size_t at) {
  volatile char *block = malloc(8);
  block[at] = 1;
  free((void *)block);
  return 0;
}

static int exec_again(void) {
  execv(self, (char *[]){self, NULL});
  return -1;
}

static int answer(const char *line) {
  char first[64] = "", w[4][128] = {""};
  sscanf(line, "%63s %127s %127s %127s", first, w[0], w[1], w[2]);
  long long a = atoll(w[0]), b = atoll(w[1]), c = atoll(w[2]);
#define COMMAND(name, action)                                                                      \
  if (strcmp(first, name) == 0)                                                                    \
    return (int)(action);
  COMMAND("begin", begin())
  COMMAND("pid", getpid())
  COMMAND("alloc", cuMemAlloc_v2(&slot[a], (size_t)b))
  COMMAND("free", cuMemFree_v2(slot[a]))
  COMMAND("spawn", spawn(w[0], w[1]))
  COMMAND("join", join())
  COMMAND("fork-while-walking", fork_while_walking())
  COMMAND("exec", exec_again())
  COMMAND("daemon", become_daemon(w[0], w[1]))
  COMMAND("storm", storm((int)a, (int)b, (size_t)c))
  COMMAND("refusals", refusals)
  COMMAND("overflow", overflow((size_t)a))
  COMMAND("end", end(w[0]))
  COMMAND("end-freeing-in", end_freeing(w[0], (int)b))
  return -2;
}

int main(int argc, char **argv) {
  char line[512];
  self = realpath("/proc/self/exe", NULL);
  if (argc == 5)
    return be_child(argv + 2);
  setvbuf(stdin, NULL, _IONBF, 0);
  while (fgets(line, sizeof line, stdin))
    dprintf(1, "%d\n", answer(line));
  return 0;
}

/*
 * file_lock.c - the paper's second method: a file lock, and a user signal to each client that was
 * served. The kernel frees the lock of a dead client, so no client can abandon it.
 */
#include "../support/clock.h"
#include "../support/must.h"
#include "approach.h"
#include "paper_client.h"
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#define NOTIFICATION SIGUSR1
/* No process reports the death of a client: so a waiter looks for dead clients at this interval. */
#define SLICE_NS (100 * NS_PER_MS)

static char lock_path[64];
static struct paper_memory memory;
static int lock_file;

static sigset_t notification(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, NOTIFICATION);
  return set;
}

static bool join_with_signal(struct paper_shared *shared) {
  sigset_t set = notification();
  (void)shared;
  lock_file = open(lock_path, O_RDWR | O_CLOEXEC);
  return sigprocmask(SIG_BLOCK, &set, NULL) == 0 && lock_file >= 0;
}

static void leave_file(void) {
  close(lock_file);
}

/** As Boost's file_lock does. */
static void change_lock(short type) {
  struct flock whole = {.l_type = type, .l_whence = SEEK_SET};
  while (fcntl(lock_file, F_SETLKW, &whole) != 0)
    MUST(errno == EINTR);
}

static void lock_the_file(struct paper_shared *shared) {
  (void)shared;
  change_lock(F_WRLCK);
}

static void unlock_the_file(struct paper_shared *shared) {
  (void)shared;
  change_lock(F_UNLCK);
}

static void signal_served(struct paper_shared *shared, const struct paper_served *served) {
  (void)shared;
  for (uint32_t i = 0; i < served->count; i++)
    kill(served->pid[i], NOTIFICATION);
}

static void await_signal(struct paper_shared *shared, uint64_t deadline_ns) {
  sigset_t set = notification();
  uint64_t left_ns = deadline_ns - now_ns();
  uint64_t slice_ns = left_ns < SLICE_NS ? left_ns : SLICE_NS;
  struct timespec slice = {(time_t)(slice_ns / NS_PER_S), (long)(slice_ns % NS_PER_S)};
  unlock_the_file(shared);
  int got = sigtimedwait(&set, NULL, &slice);
  lock_the_file(shared);
  if (got != NOTIFICATION) {
    struct paper_served served;
    paper_drop_dead(&shared->data);
    paper_serve(&shared->data, &served);
    signal_served(shared, &served);
  }
}

static const struct paper_method method = {.join = join_with_signal,
                                           .leave = leave_file,
                                           .lock = lock_the_file,
                                           .unlock = unlock_the_file,
                                           .notify = signal_served,
                                           .wait = await_signal};

static void set_up(void) {
  paper_memory_make(&memory, "file-lock");
  strcpy(lock_path, "/dev/shm/schedgpu-bench-lock-XXXXXX");
  int fd = mkstemp(lock_path);
  MUST(fd >= 0);
  close(fd);
}

static void tear_down(void) {
  unlink(lock_path);
  paper_memory_remove(&memory);
}

static int init(void) {
  return paper_init(&method, &memory);
}

const struct schedgpu_approach approach_file_lock = {.name = "file-lock",
                                                     .set_up = set_up,
                                                     .tear_down = tear_down,
                                                     .init = init,
                                                     .reserve = paper_reserve,
                                                     .release = paper_release,
                                                     .shutdown = paper_shutdown,
                                                     .take_lock = paper_take_lock};

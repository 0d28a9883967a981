/*
 * life_cycle.c - all calls of a program in a job, from its first to its last. Measured in a process
 * that never used the library before, as programs are; and repeated in the same process.
 */
#include "bench.h"
#include "support/bench_node.h"
#include "support/clock.h"
#include "support/compare.h"
#include "support/cpus.h"
#include "support/processes.h"
#include "support/report.h"
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>

#define FRESH_PROCESSES 2000
#define FRESH_TIME_NS (3 * NS_PER_S)
#define AGAIN_SAMPLES 3000
#define PAGE 4096
#define SEGMENT_SIZE (1 << 20)

/** What the limit works on: its own liveness file and segment, like the library's. */
struct own {
  char live[128];
  int segment;
  double *took_ns; /**< shared with the measured process */
};

static void whole_life(void *unused) {
  (void)unused;
  MUST(schedgpu_attach() == SCHEDGPU_OK);
  MUST(schedgpu_context_enter(0, SCHEDGPU_NO_WAIT) == SCHEDGPU_OK);
  reserve_or_die(MIB, SCHEDGPU_NO_WAIT);
  release_or_die(MIB);
  MUST(schedgpu_context_leave(0) == SCHEDGPU_OK);
  MUST(schedgpu_detach() == SCHEDGPU_OK);
}

/** Locks a byte and keeps it locked by a mapping, as a live client does. */
static void bare_liveness(void *argument) {
  const struct own *own = argument;
  struct flock byte = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};
  int fd = open(own->live, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  MUST(fd >= 0 && fcntl(fd, F_OFD_SETLK, &byte) == 0);
  void *page = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0);
  MUST(page != MAP_FAILED && madvise(page, PAGE, MADV_DONTFORK) == 0);
  close(fd);
  munmap(page, PAGE);
}

static void bare_life(void *argument) {
  const struct own *own = argument;
  MUST(shmat(own->segment, NULL, 0) != (void *)-1);
  bare_liveness(argument);
}

static void time_it(struct own *own, void (*life)(void *)) {
  uint64_t start_ns = now_ns();
  life(own);
  *own->took_ns = (double)(now_ns() - start_ns);
}

static void be_client(void *own) {
  pin_last();
  time_it(own, whole_life);
}

static void be_bare(void *own) {
  pin_last();
  time_it(own, bare_life);
}

static struct own own_new(const char *dir) {
  struct own own = {.segment = shmget(IPC_PRIVATE, SEGMENT_SIZE, 0600),
                    .took_ns = shared_new(sizeof *own.took_ns)};
  snprintf(own.live, sizeof own.live, "%s/bare", dir);
  int fd = open(own.live, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  MUST(own.segment >= 0 && fd >= 0 && ftruncate(fd, PAGE) == 0);
  close(fd);
  return own;
}

static void own_free(struct own *own) {
  unlink(own->live);
  shmctl(own->segment, IPC_RMID, NULL);
  shared_free(own->took_ns, sizeof *own->took_ns);
}

void run_life_cycles(const char *dir, struct samples *ours, struct samples *limit) {
  struct own own = own_new(dir);
  uint64_t end_ns = now_ns() + time_limit_ns(FRESH_TIME_NS);
  *ours = samples_new(sample_count(FRESH_PROCESSES));
  if (limit)
    *limit = samples_new(ours->capacity);
  do {
    process_run(be_client, &own);
    samples_add(ours, *own.took_ns);
    if (limit) {
      process_run(be_bare, &own);
      samples_add(limit, *own.took_ns);
    }
  } while (ours->count < ours->capacity && now_ns() < end_ns);
  own_free(&own);
}

static void compare_again(const char *dir, struct samples *ours, struct samples *limit) {
  struct own own = own_new(dir);
  compare(&(struct comparison){.ours = whole_life,
                               .limit = bare_liveness,
                               .argument = &own,
                               .batch = 1,
                               .samples = sample_count(AGAIN_SAMPLES),
                               .time_ns = time_limit_ns(NS_PER_S)},
          ours, limit);
  own_free(&own);
}

void measure_life_cycle(void) {
  struct samples ours, limit;
  struct node node = node_new(CONTEXT_BYTES, 0);
  node_job(&node, 1, SCHEDGPU_MODE_ONDEMAND, 0);
  be_job(1);
  run_life_cycles(node.dir, &ours, &limit);
  report("life-cycle", "us", &ours, &limit,
         "its system calls alone: shmat; open, lock, mmap, madvise, close, munmap");
  pin_last();
  compare_again(node.dir, &ours, &limit);
  report("life-cycle-again", "us", &ours, &limit,
         "its system calls alone: open, lock, mmap, madvise, close, munmap");
  node_free(&node);
}

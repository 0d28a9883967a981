/*
 * lane_loop.c - one of two programs that take turns with a shared lane, and hand over a bare futex
 * in the same rhythm.
 *
 *   lane-loop wait|release DESCRIPTOR BLOCKS
 *
 * The descriptor is of the shared memory: for each block two rhythms, that of the futex and that of
 * the lane.
 */
#include "schedgpu/schedgpu.h"
#include "../support/must.h"
#include "../support/rhythm.h"
#include <dlfcn.h>
#include <sys/mman.h>

typedef void (*function)(void);

static int (*begin)(int, int64_t);
static int (*end)(int);
static schedgpu_lane_memory_function memory;

/** Begins an iteration, and gets the memory of the lane. */
static void begin_iteration(struct rhythm *rhythm, uint32_t round) {
  uint64_t address, bytes;
  (void)rhythm, (void)round;
  MUST(begin(0, SCHEDGPU_FOREVER) == SCHEDGPU_OK);
  MUST(memory(0, &address, &bytes) == SCHEDGPU_OK && bytes > 0);
}

static void end_iteration(struct rhythm *rhythm, uint32_t round) {
  (void)rhythm, (void)round;
  MUST(end(0) == SCHEDGPU_OK);
}

static void end_the_waiters_iteration(void) {
  end_iteration(NULL, 0);
}

static const struct mechanism lane = {begin_iteration, end_iteration, begin_iteration,
                                      end_the_waiters_iteration};

static void make_context(void) {
  void *driver = dlopen("libcuda.so.1", RTLD_NOW), *context;
  MUST(driver);
  int (*init)(unsigned) = (int (*)(unsigned))dlsym(driver, "cuInit");
  int (*retain)(void **, int) = (int (*)(void **, int))dlsym(driver, "cuDevicePrimaryCtxRetain");
  int (*use)(void *) = (int (*)(void *))dlsym(driver, "cuCtxSetCurrent");
  MUST(init(0) == 0 && retain(&context, 0) == 0 && use(context) == 0);
}

/** After this the lane is mapped here, so that a switch maps nothing. */
static void join_lane(void) {
  function (*find)(const char *) =
      (function(*)(const char *))dlsym(RTLD_DEFAULT, "schedgpu_preload_function");
  MUST(find);
  int (*share)(int) = (int (*)(int))find("lane_share");
  begin = (int (*)(int, int64_t))find("iteration_begin");
  end = (int (*)(int))find("iteration_end");
  memory = (schedgpu_lane_memory_function)find("lane_memory");
  MUST(share && begin && end && memory && share(0) == SCHEDGPU_OK);
  make_context();
  begin_iteration(NULL, 0);
  end_iteration(NULL, 0);
}

int main(int argc, char **argv) {
  MUST(argc == 4);
  size_t rhythms = 2 * (size_t)atoi(argv[3]);
  struct rhythm *rhythm = mmap(NULL, rhythms * sizeof *rhythm, PROT_READ | PROT_WRITE,
                               MAP_SHARED | MAP_POPULATE, atoi(argv[2]), 0);
  MUST(rhythm != MAP_FAILED);
  join_lane();
  for (size_t i = 0; i < rhythms; i++) {
    const struct mechanism *mechanism = i % 2 == 0 ? &bare_wake : &lane;
    if (strcmp(argv[1], "wait") == 0)
      rhythm_wait(&rhythm[i], mechanism);
    else
      rhythm_release(&rhythm[i], mechanism);
  }
  return 0;
}

/*
 * mutex_condition.c - the paper's first method: a mutex and a condition in shared memory. The mutex
 * is not robust, as in the paper (Boost): a client that dies with it abandons it, and all others
 * wait forever. For that reason the paper rejected the method.
 */
#include "mutex_condition.h"
#include "../support/clock.h"
#include "../support/must.h"
#include "approach.h"

#define SLICE_NS (100 * NS_PER_MS)

static struct paper_memory memory;

const struct paper_shared *mutex_condition_shared(void) {
  return memory.shared;
}

static bool join_nothing(struct paper_shared *shared) {
  (void)shared;
  return true;
}

static void leave_nothing(void) {}

static void lock_mutex(struct paper_shared *shared) {
  MUST(pthread_mutex_lock(&shared->mutex) == 0);
}

static void unlock_mutex(struct paper_shared *shared) {
  MUST(pthread_mutex_unlock(&shared->mutex) == 0);
}

static void notify_all(struct paper_shared *shared, const struct paper_served *served) {
  (void)served;
  MUST(pthread_cond_broadcast(&shared->freed) == 0);
}

static void await_condition(struct paper_shared *shared, uint64_t deadline_ns) {
  uint64_t slice_end_ns = now_ns() + SLICE_NS;
  uint64_t end_ns = deadline_ns < slice_end_ns ? deadline_ns : slice_end_ns;
  struct timespec end = {(time_t)(end_ns / NS_PER_S), (long)(end_ns % NS_PER_S)};
  if (pthread_cond_timedwait(&shared->freed, &shared->mutex, &end) == ETIMEDOUT) {
    struct paper_served served;
    paper_drop_dead(&shared->data);
    paper_serve(&shared->data, &served);
    if (served.count > 0)
      notify_all(shared, &served);
  }
}

static const struct paper_method method = {.join = join_nothing,
                                           .leave = leave_nothing,
                                           .lock = lock_mutex,
                                           .unlock = unlock_mutex,
                                           .notify = notify_all,
                                           .wait = await_condition};

static void set_up(void) {
  pthread_mutexattr_t mutex;
  pthread_condattr_t condition;
  paper_memory_make(&memory, "mutex");
  pthread_mutexattr_init(&mutex);
  pthread_mutexattr_setpshared(&mutex, PTHREAD_PROCESS_SHARED);
  pthread_mutex_init(&memory.shared->mutex, &mutex);
  pthread_condattr_init(&condition);
  pthread_condattr_setpshared(&condition, PTHREAD_PROCESS_SHARED);
  pthread_condattr_setclock(&condition, CLOCK_MONOTONIC);
  pthread_cond_init(&memory.shared->freed, &condition);
}

static void tear_down(void) {
  paper_memory_remove(&memory);
}

static int init(void) {
  return paper_init(&method, &memory);
}

const struct schedgpu_approach approach_mutex_condition = {.name = "mutex-condition",
                                                           .set_up = set_up,
                                                           .tear_down = tear_down,
                                                           .init = init,
                                                           .reserve = paper_reserve,
                                                           .release = paper_release,
                                                           .shutdown = paper_shutdown,
                                                           .take_lock = paper_take_lock};

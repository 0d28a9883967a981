/* reader_slots.c - see reader_slots.h */
#include "reader_slots.h"
#include <errno.h>
#include <linux/membarrier.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

_Thread_local struct sg_reader_slot *sg_own_reader_slot;
/** No slot was found. The search is not repeated, because it costs a system call for each slot. */
static _Thread_local __attribute__((tls_model("initial-exec"))) bool none_left;

static int membarrier(int command) {
  return (int)syscall(SYS_membarrier, command, 0, 0);
}

/**
 * True if membarrier(2) works. Without it (an old kernel, a sandbox) all threads are counted
 * together.
 */
static bool membarrier_works(void) {
  static _Atomic int known; /* 0: not asked, 1: no, 2: yes */
  int answer = atomic_load_explicit(&known, memory_order_relaxed);
  if (answer == 0) {
    int commands = membarrier(MEMBARRIER_CMD_QUERY);
    answer = commands > 0 && (commands & MEMBARRIER_CMD_PRIVATE_EXPEDITED) ? 2 : 1;
    atomic_store_explicit(&known, answer, memory_order_relaxed);
  }
  return answer == 2;
}

/**
 * True if the thread of the slot has ended. A new thread with the same id keeps the slot from
 * others.
 */
static bool abandoned(int32_t tid) {
  return syscall(SYS_tgkill, getpid(), tid, 0) != 0 && errno == ESRCH;
}

static bool take_reader_slot(struct sg_reader_slot *slot, int32_t before, int32_t tid) {
  if (!atomic_compare_exchange_strong(&slot->tid, &before, tid))
    return false;
  atomic_store(&slot->inside, 0); /* a thread may have ended inside */
  atomic_store(&slot->launch, (atomic_load(&slot->launch) + 1) & ~1u);
  atomic_store(&slot->owner, &sg_own_reader_slot);
  sg_own_reader_slot = slot;
  return true;
}

/** Takes a free slot, or the slot of an ended thread that had the same thread id. */
static bool take_free_slot(struct sg_reader_slots *slots, int32_t tid) {
  for (uint32_t i = 0; i < SG_READER_SLOTS; i++) {
    struct sg_reader_slot *slot = &slots->slot[i];
    int32_t now = atomic_load(&slot->tid);
    uint32_t end = atomic_load(&slots->end);
    while (end <= i && !atomic_compare_exchange_weak(&slots->end, &end, i + 1))
      ;
    if ((now == 0 || now == tid) && take_reader_slot(slot, now, tid))
      return true;
  }
  return false;
}

static bool take_abandoned_slot(struct sg_reader_slots *slots, int32_t tid) {
  for (uint32_t i = 0; i < SG_READER_SLOTS; i++) {
    int32_t now = atomic_load(&slots->slot[i].tid);
    if (abandoned(now) && take_reader_slot(&slots->slot[i], now, tid))
      return true;
  }
  return false;
}

static bool find_slot(struct sg_reader_slots *slots) {
  if (none_left || !membarrier_works())
    return false;
  int saved_errno = errno;
  int32_t tid = (int32_t)syscall(SYS_gettid);
  none_left = !take_free_slot(slots, tid) && !take_abandoned_slot(slots, tid);
  errno = saved_errno;
  return !none_left;
}

void sg_launch_begin_slowly(struct sg_reader_slots *slots) {
  sg_own_reader_slot = NULL;
  if (find_slot(slots)) {
    atomic_fetch_add(&sg_own_reader_slot->launch, 1);
    atomic_thread_fence(memory_order_seq_cst); /* as below */
  } else {
    atomic_fetch_add(&slots->launched_without_slot, 1);
    atomic_fetch_add(&slots->launches_without_slot, 1);
  }
}

void sg_readers_enter_slowly(struct sg_reader_slots *slots) {
  sg_own_reader_slot = NULL;
  if (find_slot(slots)) {
    atomic_store(&sg_own_reader_slot->inside, 1);
    atomic_thread_fence(
        memory_order_seq_cst); /* makes the slot visible before this thread looks for other slots */
  } else {
    atomic_fetch_add(&slots->without_slot, 1);
  }
}

/** True if a thread other than this one has a slot. */
static bool others_have_slots(struct sg_reader_slots *slots) {
  uint32_t end = atomic_load(&slots->end);
  for (uint32_t i = 0; i < end && i < SG_READER_SLOTS; i++)
    if (atomic_load(&slots->slot[i].tid) != 0 && &slots->slot[i] != sg_own_reader_slot)
      return true;
  return false;
}

/**
 * Makes every running thread of the process pass a barrier. The process registers for it only now,
 * because this takes milliseconds if there are threads already.
 */
static void run_barrier_on_all_threads(void) {
  if (membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED) == 0)
    return;
  if (membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) == 0 &&
      membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED) == 0)
    return;
  if (membarrier(MEMBARRIER_CMD_SHARED) == 0) /* the name in all headers: GLOBAL is new in 4.16 */
    return;
  /* membarrier(2) was forbidden meanwhile (a sandbox). No CPU delays a store for 20 ms. */
  syscall(SYS_nanosleep, &(struct timespec){0, 20000000}, NULL);
}

/**
 * True if a thread is inside. A thread that ended inside does not count: it was cancelled
 * asynchronously.
 */
static bool any_thread_inside(struct sg_reader_slots *slots) {
  uint32_t end = atomic_load(&slots->end);
  for (uint32_t i = 0; i < end && i < SG_READER_SLOTS; i++) {
    int32_t tid = atomic_load(&slots->slot[i].tid);
    if (tid != 0 && atomic_load(&slots->slot[i].inside) != 0 && !abandoned(tid))
      return true;
  }
  return atomic_load(&slots->without_slot) != 0;
}

/** What was stored before is seen by all threads that enter from now on. */
static void pass_barrier(struct sg_reader_slots *slots) {
  atomic_thread_fence(memory_order_seq_cst);
  if (others_have_slots(slots))
    run_barrier_on_all_threads();
}

void sg_readers_wait(struct sg_reader_slots *slots) {
  int saved_errno = errno;
  pass_barrier(slots);
  while (any_thread_inside(slots))
    sched_yield();
  errno = saved_errno;
}

bool sg_launches_any(struct sg_reader_slots *slots) {
  uint32_t end = atomic_load(&slots->end);
  for (uint32_t i = 0; i < end && i < SG_READER_SLOTS; i++) {
    int32_t tid = atomic_load(&slots->slot[i].tid);
    if (tid != 0 && (atomic_load(&slots->slot[i].launch) & 1) && !abandoned(tid))
      return true;
  }
  return atomic_load(&slots->launches_without_slot) != 0;
}

void sg_launches_wait(struct sg_reader_slots *slots) {
  int saved_errno = errno;
  pass_barrier(slots);
  while (sg_launches_any(slots)) /* a launch blocks while the queue of the device is full */
    syscall(SYS_nanosleep, &(struct timespec){0, 50000}, NULL);
  errno = saved_errno;
}

uint32_t sg_launches_count(struct sg_reader_slots *slots) {
  uint32_t count = atomic_load(&slots->launched_without_slot), end = atomic_load(&slots->end);
  for (uint32_t i = 0; i < end && i < SG_READER_SLOTS; i++)
    count += atomic_load_explicit(&slots->slot[i].launch, memory_order_relaxed);
  return count;
}

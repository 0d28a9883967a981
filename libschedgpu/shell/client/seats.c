/* seats.c - see seats.h */
#include "seats.h"
#include <errno.h>
#include <linux/membarrier.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

_Thread_local struct sg_seat *sg_own_seat;
/** Looked for once and found none: looking costs a system call for each seat. */
static _Thread_local __attribute__((tls_model("initial-exec"))) bool none_left;

static int membarrier(int command) {
  return (int)syscall(SYS_membarrier, command, 0, 0);
}

/** Without membarrier(2) (an old kernel, a sandbox) everybody is counted. */
static bool seats_work(void) {
  static _Atomic int known; /* 0: not asked, 1: no, 2: yes */
  int answer = atomic_load_explicit(&known, memory_order_relaxed);
  if (answer == 0) {
    int commands = membarrier(MEMBARRIER_CMD_QUERY);
    answer = commands > 0 && (commands & MEMBARRIER_CMD_PRIVATE_EXPEDITED) ? 2 : 1;
    atomic_store_explicit(&known, answer, memory_order_relaxed);
  }
  return answer == 2;
}

/** Its thread has ended. A thread that got the same number since keeps the seat from others. */
static bool abandoned(int32_t tid) {
  return syscall(SYS_tgkill, getpid(), tid, 0) != 0 && errno == ESRCH;
}

static bool sit_down(struct sg_seat *seat, int32_t before, int32_t tid) {
  if (!atomic_compare_exchange_strong(&seat->tid, &before, tid))
    return false;
  atomic_store(&seat->inside, 0); /* a thread may have ended inside */
  atomic_store(&seat->owner, &sg_own_seat);
  sg_own_seat = seat;
  return true;
}

/** A seat with our own number is that of a thread that ended. */
static bool sit_where_free(struct sg_seats *seats, int32_t tid) {
  for (uint32_t i = 0; i < SG_SEATS; i++) {
    struct sg_seat *seat = &seats->seat[i];
    int32_t now = atomic_load(&seat->tid);
    uint32_t end = atomic_load(&seats->end);
    while (end <= i && !atomic_compare_exchange_weak(&seats->end, &end, i + 1))
      ;
    if ((now == 0 || now == tid) && sit_down(seat, now, tid))
      return true;
  }
  return false;
}

static bool sit_where_abandoned(struct sg_seats *seats, int32_t tid) {
  for (uint32_t i = 0; i < SG_SEATS; i++) {
    int32_t now = atomic_load(&seats->seat[i].tid);
    if (abandoned(now) && sit_down(&seats->seat[i], now, tid))
      return true;
  }
  return false;
}

static bool find_seat(struct sg_seats *seats) {
  if (none_left || !seats_work())
    return false;
  int saved_errno = errno;
  int32_t tid = (int32_t)syscall(SYS_gettid);
  none_left = !sit_where_free(seats, tid) && !sit_where_abandoned(seats, tid);
  errno = saved_errno;
  return !none_left;
}

void sg_seats_enter_slowly(struct sg_seats *seats) {
  sg_own_seat = NULL;
  if (find_seat(seats)) {
    atomic_store(&sg_own_seat->inside, 1);
    atomic_thread_fence(memory_order_seq_cst); /* who does not see the seat is seen by us */
  } else {
    atomic_fetch_add(&seats->standing, 1);
  }
}

/** Whether another thread than this one has a seat. */
static bool others_sit(struct sg_seats *seats) {
  uint32_t end = atomic_load(&seats->end);
  for (uint32_t i = 0; i < end && i < SG_SEATS; i++)
    if (atomic_load(&seats->seat[i].tid) != 0 && &seats->seat[i] != sg_own_seat)
      return true;
  return false;
}

/**
 * Every running thread of the process passes a barrier. Only now is the process registered for it:
 * where there are threads already, that takes the kernel milliseconds.
 */
static void make_all_pass_a_barrier(void) {
  if (membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED) == 0)
    return;
  if (membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) == 0 &&
      membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED) == 0)
    return;
  if (membarrier(MEMBARRIER_CMD_GLOBAL) == 0)
    return;
  /* It was taken from us since (a sandbox). No CPU keeps a store to itself for so long. */
  syscall(SYS_nanosleep, &(struct timespec){0, 20000000}, NULL);
}

/** A thread that ended inside does not count: it had itself cancelled at any instruction. */
static bool somebody_inside(struct sg_seats *seats) {
  uint32_t end = atomic_load(&seats->end);
  for (uint32_t i = 0; i < end && i < SG_SEATS; i++) {
    int32_t tid = atomic_load(&seats->seat[i].tid);
    if (tid != 0 && atomic_load(&seats->seat[i].inside) != 0 && !abandoned(tid))
      return true;
  }
  return atomic_load(&seats->standing) != 0;
}

void sg_seats_wait(struct sg_seats *seats) {
  int saved_errno = errno;
  atomic_thread_fence(memory_order_seq_cst);
  if (others_sit(seats))
    make_all_pass_a_barrier();
  while (somebody_inside(seats))
    sched_yield();
  errno = saved_errno;
}

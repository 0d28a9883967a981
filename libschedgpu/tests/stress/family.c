/* family.c - fork, exec, and descriptors closed under the library. */
#include "worker.h"
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __SANITIZE_ADDRESS__
#define SANITIZED true /* a thread that the child does not have may hold its allocator's lock */
#else
#define SANITIZED false
#endif

/** The pid outside the PID namespace: /proc is still the outer one. */
static pid_t outer_pid(void) {
  char text[32] = {0};
  int pid = 0;
  if (readlink("/proc/self", text, sizeof text - 1) > 0)
    sscanf(text, "%d", &pid);
  return pid;
}

/** One store takes the seat and names the process, so it is known whenever it dies. */
static bool find_kid_seat(struct worker *kid, uint32_t parent) {
  uint64_t me = who_is(outer_pid(), parent, seat_has_namespace(kid->page, parent));
  for (uint32_t i = WORKERS; i < SEATS; i++) {
    uint64_t nobody = 0;
    if (atomic_compare_exchange_strong(&kid->page->seat[i].who, &nobody, me)) {
      kid->index = i;
      kid->seat = &kid->page->seat[i];
      return true;
    }
  }
  return false;
}

/** A forked child is not a client: it holds nothing, and can release nothing. */
static void judge_newborn(struct worker *kid) {
  if (schedgpu_is_attached() || schedgpu_release(0, UNIT_BYTES) != SCHEDGPU_EUNDERFLOW)
    page_fail(kid->page, "the forked child of seat %u is attached", kid->index);
}

static _Noreturn void kid_run(const struct worker *parent) {
  struct worker kid = *parent;
  judge_newborn(&kid);
  if (!find_kid_seat(&kid, parent->index))
    _exit(0);
  page_count(kid.page, TALLY_LIVES);
  kid.admin = NULL; /* its mapping is not in a child */
  kid.blocks = 0;
  memset(kid.depth, 0, sizeof kid.depth);
  kid.dice = dice_of(dice_next(&kid.dice), kid.index, 1);
  atomic_store(&kid.seat->job, kid.job);
  worker_take_seat(&kid);
  worker_live(&kid, 1 + (uint32_t)dice_below(&kid.dice, 12), false);
  worker_end(&kid);
}

/** Perhaps lives a little longer than its parent, and must not keep the parent's reservations. */
static _Noreturn void silent_kid_run(struct dice dice) {
  nap_us(dice_below(&dice, 60000));
  _exit(0);
}

/* The parent never waits for a kid with a seat. So the kid keeps its pid until the tormentor has
 * seen its end, or the namespace is gone. */
void act_fork(struct worker *w, bool threads_run) {
  if (threads_run && SANITIZED)
    return;
  bool raw = !threads_run && !SANITIZED && dice_one_in(&w->dice, 4); /* runs no fork handlers */
  bool silent = dice_one_in(&w->dice, 3);
  struct dice dice = dice_of(dice_next(&w->dice), 0, 0);
  pid_t pid = raw ? (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) : fork();
  if (pid == 0) {
    if (silent)
      silent_kid_run(dice);
    kid_run(w);
  }
  if (pid < 0) {
    page_fail(w->page, "seat %u cannot fork", w->index);
    return;
  }
  page_count(w->page, TALLY_FORKS);
  if (silent && dice_one_in(&dice, 2))
    waitpid(pid, NULL, 0);
}

_Noreturn void act_exec(struct worker *w) {
  char seat[16];
  snprintf(seat, sizeof seat, "%u", w->index);
  char *arguments[] = {"stress", "--again", w->page->path, seat, NULL};
  atomic_store(&w->seat->state, SEAT_APART);
  seat_clear(w->seat);
  page_count(w->page, TALLY_EXECS);
  execv("/proc/self/exe", arguments);
  page_fail(w->page, "seat %u cannot exec itself", w->index);
  _exit(1);
}

/** Closes all descriptors, as daemons do; then its own files get numbers that the library may have
 * used. */
void act_close_descriptors(void) {
  closefrom(3);
  for (int i = 0; i < 4; i++)
    if (open("/dev/null", O_RDWR | O_CLOEXEC) < 0)
      break;
}

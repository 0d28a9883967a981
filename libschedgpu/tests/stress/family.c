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

/** One store takes the entry and names the process, so it is known whenever it dies. */
static bool find_child_entry(struct worker *child, uint32_t parent) {
  uint64_t me = who_is(outer_pid(), parent, entry_has_namespace(child->page, parent));
  for (uint32_t i = WORKERS; i < ENTRIES; i++) {
    uint64_t nobody = 0;
    if (atomic_compare_exchange_strong(&child->page->entry[i].who, &nobody, me)) {
      child->index = i;
      child->entry = &child->page->entry[i];
      return true;
    }
  }
  return false;
}

/** A forked child is not a client: it holds nothing, and can release nothing. */
static void judge_newborn(struct worker *child) {
  if (schedgpu_is_attached() || schedgpu_release(0, UNIT_BYTES) != SCHEDGPU_EUNDERFLOW)
    page_fail(child->page, "the forked child of entry %u is attached", child->index);
}

static _Noreturn void child_run(const struct worker *parent) {
  struct worker child = *parent;
  judge_newborn(&child);
  if (!find_child_entry(&child, parent->index))
    _exit(0);
  page_count(child.page, TALLY_LIVES);
  child.admin = NULL; /* its mapping is not in a child */
  child.blocks = 0;
  memset(child.depth, 0, sizeof child.depth);
  child.dice = dice_of(dice_next(&child.dice), child.index, 1);
  atomic_store(&child.entry->job, child.job);
  worker_take_entry(&child);
  worker_live(&child, 1 + (uint32_t)dice_below(&child.dice, 12), false);
  worker_end(&child);
}

/** Perhaps lives a little longer than its parent, and must not keep the parent's reservations. */
static _Noreturn void silent_child_run(struct dice dice) {
  nap_us(dice_below(&dice, 60000));
  _exit(0);
}

/* The parent never waits for a child with an entry. So the child keeps its pid until the controller
 * has seen its end, or the namespace is gone. */
void act_fork(struct worker *w, bool threads_run) {
  if (threads_run && SANITIZED)
    return;
  bool raw = !threads_run && !SANITIZED && dice_one_in(&w->dice, 4); /* runs no fork handlers */
  bool silent = dice_one_in(&w->dice, 3);
  struct dice dice = dice_of(dice_next(&w->dice), 0, 0);
  pid_t pid = raw ? (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) : fork();
  if (pid == 0) {
    if (silent)
      silent_child_run(dice);
    child_run(w);
  }
  if (pid < 0) {
    page_fail(w->page, "entry %u cannot fork", w->index);
    return;
  }
  page_count(w->page, TALLY_FORKS);
  if (silent && dice_one_in(&dice, 2))
    waitpid(pid, NULL, 0);
}

_Noreturn void act_exec(struct worker *w) {
  char entry[16];
  snprintf(entry, sizeof entry, "%u", w->index);
  char *arguments[] = {"stress", "--again", w->page->path, entry, NULL};
  atomic_store(&w->entry->state, ENTRY_NOT_COUNTED);
  entry_clear(w->entry);
  page_count(w->page, TALLY_EXECS);
  execv("/proc/self/exe", arguments);
  page_fail(w->page, "entry %u cannot exec itself", w->index);
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

/*
 * processes.c - starts and reaps processes. The controller is the parent of every process outside
 * the namespaces, or becomes it as their subreaper; and no other process reaps one that has a
 * entry. So a pid that it signals never belongs to another process.
 */
#include "controller.h"
#include "worker.h"
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

bool processes_may_have_namespaces(const char **why) {
  fflush(NULL);
  pid_t pid = fork();
  if (pid == 0)
    _exit(unshare(CLONE_NEWPID) == 0 ? 0 : errno);
  int status = 0;
  if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status)) {
    *why = "the probe failed";
    return false;
  }
  *why = strerror(WEXITSTATUS(status));
  return WEXITSTATUS(status) == 0;
}

/** The child of a fork after unshare(CLONE_NEWPID) is the init of the namespace: it ignores every
 * signal without a handler, its own SIGKILL too, but not ours. */
static pid_t fork_into_namespace(struct controller *t) {
  if (unshare(CLONE_NEWPID) != 0)
    return -1;
  pid_t pid = fork();
  if (pid != 0 && setns(t->namespace_fd, CLONE_NEWPID) != 0)
    page_fail(t->page, "cannot come back from a PID namespace: %s", strerror(errno));
  return pid;
}

bool processes_start(struct controller *t, uint32_t worker) {
  bool own_namespace = entry_has_namespace(t->page, worker);
  pid_t pid = own_namespace ? fork_into_namespace(t) : fork();
  if (pid == 0)
    worker_run(t->page, worker);
  if (pid < 0) {
    page_fail(t->page, "cannot start worker %u: %s", worker, strerror(errno));
    return false;
  }
  atomic_store(&t->page->entry[worker].who, who_is(pid, worker, own_namespace));
  return true;
}

void processes_start_missing(struct controller *t) {
  for (uint32_t i = 0; i < WORKERS; i++)
    if (atomic_load(&t->page->entry[i].who) == 0 && !processes_start(t, i))
      return;
}

/** Frees the entry of a dead process. `who` is cleared last. */
static void free_entry(struct controller *t, uint32_t i) {
  struct entry *s = &t->page->entry[i];
  atomic_store(&s->state, ENTRY_NOT_COUNTED);
  entry_clear(s);
  atomic_store(&s->job, 0);
  atomic_store(&s->parked, 0);
  atomic_store(&s->calls, 0);
  atomic_store(&s->asleep, 0);
  atomic_store(&s->endless, 0);
  atomic_store(&s->will_die, 0);
  t->stopped_until_ns[i] = 0;
  atomic_store(&s->who, 0);
}

static void judge_end(struct controller *t, uint32_t i, int status) {
  if (WIFEXITED(status) && WEXITSTATUS(status) != 0)
    page_fail(t->page, "entry %u exited with %d", i, WEXITSTATUS(status));
  bool ours = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL &&
              atomic_load(&t->page->entry[i].will_die);
  if (WIFSIGNALED(status) && !ours)
    page_fail(t->page, "entry %u was killed by signal %d, which nobody sent", i, WTERMSIG(status));
}

static uint32_t entry_of(const struct page *p, pid_t pid) {
  for (uint32_t i = 0; i < ENTRIES; i++)
    if (who_pid(atomic_load(&p->entry[i].who)) == pid)
      return i;
  return ENTRIES;
}

/** When the init of a namespace can be reaped, all of its processes are gone. */
static void free_family(struct controller *t, uint32_t leader) {
  for (uint32_t i = WORKERS; i < ENTRIES; i++) {
    uint64_t who = atomic_load(&t->page->entry[i].who);
    if (who != 0 && who_in_namespace(who) && who_leader(who) == leader)
      free_entry(t, i);
  }
}

static void reap(struct controller *t, pid_t pid, int status) {
  uint32_t i = entry_of(t->page, pid);
  if (i == ENTRIES) { /* a child without an entry, whose parent is gone */
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
      page_fail(t->page, "a child without an entry ended with status %x", (unsigned)status);
    return;
  }
  judge_end(t, i, status);
  if (entry_has_namespace(t->page, i) && i < WORKERS)
    free_family(t, i);
  free_entry(t, i);
}

void processes_reap(struct controller *t) {
  int status;
  pid_t pid;
  while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
    reap(t, pid, status);
}

bool processes_may_signal(const struct controller *t, uint32_t entry) {
  uint64_t who = atomic_load(&t->page->entry[entry].who);
  /* dies with its init; the controller does not see it */
  bool inside = entry >= WORKERS && who_in_namespace(who);
  return who != 0 && !inside && !atomic_load(&t->page->entry[entry].will_die);
}

void processes_kill(struct controller *t, uint32_t entry) {
  if (!processes_may_signal(t, entry))
    return;
  /* before the kill: another process may get its memory at once */
  atomic_store(&t->page->entry[entry].will_die, 1);
  kill(who_pid(atomic_load(&t->page->entry[entry].who)), SIGKILL);
  page_count(t->page, TALLY_KILLS);
}

void processes_stop(struct controller *t, uint32_t entry, uint64_t ns) {
  if (!processes_may_signal(t, entry) || t->stopped_until_ns[entry])
    return;
  t->stopped_until_ns[entry] = now_ns() + ns;
  kill(who_pid(atomic_load(&t->page->entry[entry].who)), SIGSTOP);
  page_count(t->page, TALLY_STOPS);
}

void processes_continue(struct controller *t, bool all) {
  uint64_t now = now_ns();
  for (uint32_t i = 0; i < ENTRIES; i++) {
    if (t->stopped_until_ns[i] == 0 || (!all && now < t->stopped_until_ns[i]))
      continue;
    t->stopped_until_ns[i] = 0;
    if (processes_may_signal(t, i))
      kill(who_pid(atomic_load(&t->page->entry[i].who)), SIGCONT);
  }
}

bool processes_end_all(struct controller *t) {
  int status;
  uint64_t end = now_ns() + HANG_NS;
  atomic_store(&t->page->phase, PHASE_OVER);
  atomic_fetch_add(&t->page->phase_number, 1);
  for (;;) {
    for (uint32_t i = 0; i < ENTRIES; i++) /* repeated, because children may still take entries */
      processes_kill(t, i);
    pid_t pid = waitpid(-1, &status, WNOHANG);
    if (pid > 0)
      reap(t, pid, status);
    else if (pid < 0 && errno == ECHILD)
      return true;
    else if (now_ns() > end)
      return false;
    else
      nap_us(500);
  }
}

/*
 * death_watch.c - tells a process that waits of the deaths of others, without an agent. A thread
 * sleeps until the kernel says that a process of the node let go of its byte of the liveness file
 * (docs/explanation/liveness.md); then it reaps, as any process may, and so serves all that wait.
 * The program sees nothing of the thread: it takes no signal, and has its own, empty table of
 * descriptors, so no fork inherits what it opens, and nothing that the program closes stays open.
 * Where that is not possible (Linux before 5.9, no thread, no inotify), waiters look in slices.
 */
#include "self.h"
#include <poll.h>
#include <stdio.h>
#include <sys/inotify.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_close_range
#define SYS_close_range 436
#endif
#define UNSHARE 2u /* CLOSE_RANGE_UNSHARE, Linux 5.9 */

/**
 * Looks after an event, with pauses of 1, 2, 4... ms: the kernel tells of a byte a moment before it
 * frees it, and no scan may be due for up to a tenth of a second (sg_dead_scan_due). The last pause
 * is how long the thread stays after the wait, at most.
 */
#define LOOKS 8

/** Opens the events of the liveness file, in a table of descriptors without others. */
static int open_events(struct sg_self *self) {
  char path[PATH_MAX + 16];
  pthread_mutex_lock(&self->mutex); /* an attach may change the folder */
  snprintf(path, sizeof path, "%s/" SG_LIVE_FILE, self->h.run_dir);
  pthread_mutex_unlock(&self->mutex);
  if (syscall(SYS_close_range, 0, ~0u, UNSHARE) != 0)
    return -1;
  int events = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
  if (events < 0 || inotify_add_watch(events, path, IN_CLOSE_WRITE) >= 0)
    return events;
  close(events);
  return -1;
}

/** Sleeps until a process lets go of the file. False after `ms`. */
static bool await_event(int events, int ms) {
  struct pollfd event = {.fd = events, .events = POLLIN};
  char told[1024];
  if (poll(&event, 1, ms) != 1)
    return false;
  while (read(events, told, sizeof told) > 0)
    continue;
  return true;
}

static void reap(struct sg_self *self) {
  struct sg_lock_timeout none = {.give_up_ns = 0, .reported = true};
  sg_self_reap(self, false, &none);
}

/** Looks first: a process may have died before there were events. Many events are one reason. */
static void *watch(void *argument) {
  struct sg_self *self = argument;
  int events = open_events(self), looks = 0;
  if (events < 0)
    return NULL; /* `watched` stays: it would not work the next time either */
  while (sg_thread_waits(self)) {
    if (looks < LOOKS) {
      reap(self);
      looks++;
    }
    if (await_event(events, 1 << (looks - 1))) {
      looks = 0;
      poll(NULL, 0, 1);
    }
  }
  close(events);
  atomic_store(&self->watched, false);
  return NULL;
}

void sg_watch_deaths(struct sg_self *self) {
  if (!atomic_exchange(&self->watched, true) && sg_start_thread(watch, self) != 0)
    atomic_store(&self->watched, false);
}

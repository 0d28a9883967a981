/*
 * robustness.h - shared by the tests of single cases: other users, namespaces, reads from outside.
 */
#ifndef SG_TEST_ROBUSTNESS_H
#define SG_TEST_ROBUSTNESS_H

#include "../support/node.h"
#include "../support/stopped.h"
#include "../../shell/region/attach.h"
#include <sched.h>
#include <sys/mount.h>

#define PEAK SCHEDGPU_MODE_PEAK
#define ONDEMAND SCHEDGPU_MODE_ONDEMAND
#define MS INT64_C(1000000)
#define LOCK_HAS_WAITERS 0x80000000u
/** Slot, and place of the request, of the second process that attached. */
#define SECOND (SG_FIRST_CLIENT + 1)
/** A user that no system has. */
#define STRANGER 54321

/** Says why a test cannot run here, and lets cmocka count it as skipped. */
#define skip_because(...)                                                                          \
  do {                                                                                             \
    printf("[  SKIPPED ] because " __VA_ARGS__);                                                   \
    printf("\n");                                                                                  \
    skip();                                                                                        \
  } while (0)

/** Reaps. Returns the number of dead clients. */
static inline uint32_t reap(struct node *n) {
  struct schedgpu_reaped reaped;
  assert_int_equal(schedgpu_admin_reap(n->admin, &reaped), SCHEDGPU_OK);
  return reaped.clients;
}

/** Waits for a client that becomes dead a little later, without an event to wait for. */
static inline void await_one_dead(struct node *n) {
  while (reap(n) == 0)
    nap_ms(1);
}

/** A mapping of the region without a slot, for reads without the lock. */
static inline struct sg_handle map_region(const struct node *n) {
  struct sg_handle h;
  assert_int_equal(sg_open(&h, n->dir), SCHEDGPU_OK);
  return h;
}

/** Attaches this process in a slot of the root side. */
static inline struct sg_handle attach_root_side(const struct node *n) {
  struct sg_handle h = map_region(n);
  assert_int_equal(
      sg_attach_slot(&h, SG_FIRST_ADMIN, SG_FIRST_CLIENT, NULL, SCHEDGPU_FOREVER, NULL),
      SCHEDGPU_OK);
  return h;
}

static inline void leave(struct sg_handle *h) {
  struct sg_wakes wakes = {0};
  assert_int_equal(sg_lock(h, SCHEDGPU_FOREVER), SCHEDGPU_OK);
  sg_client_remove(h->r, h->slot, sg_now_ns(), &wakes);
  sg_unlock_and_wake(h, &wakes);
  sg_close(h);
}

static inline void await_lock_waiter(const struct sg_handle *h) {
  while (!(atomic_load(&h->r->h.lock) & LOCK_HAS_WAITERS))
    nap_ms(1);
}

static inline void stop_child(const struct child *c) {
  stop_process(c->pid);
}

/** In a child: reserves 6 GiB, as every holder of these tests does. */
static inline void reserve_six(void) {
  if (schedgpu_reserve(0, 6 * GIB, SCHEDGPU_FOREVER) != SCHEDGPU_OK)
    _exit(3);
}

/** Holds 6 GiB ('h'), releases them on 'r', and ends on the next letter. */
static inline void holds_six(int write_fd, int read_fd) {
  reserve_six();
  send_byte(write_fd, 'h');
  if (receive_byte(read_fd) == '.')
    return;
  send_byte(write_fd, schedgpu_release(0, 6 * GIB) == SCHEDGPU_OK ? 'r' : 'x');
  receive_byte(read_fd);
}

static inline struct child start_holder(uint64_t job) {
  struct child c = child_start(job, holds_six);
  assert_int_equal(receive_byte(c.from), 'h');
  return c;
}

/** A node with jobs 1 to `jobs`, of one mode. */
static inline struct node node_with_jobs(uint32_t jobs, uint32_t mode) {
  struct node n = node_new(0, 0);
  for (uint32_t i = 1; i <= jobs; i++)
    node_job(&n, i, mode, mode == ONDEMAND ? 0 : 6 * GIB);
  return n;
}

/** In a child: takes a slot of the root side, and sends 'a'. Takes the lock on a letter, and sends
 * 'l'. */
static inline struct sg_handle attach_and_lock(int write_fd, int read_fd) {
  struct sg_handle h;
  if (sg_open(&h, getenv("SCHEDGPU_RUN_DIR")) != SCHEDGPU_OK ||
      sg_attach_slot(&h, SG_FIRST_ADMIN, SG_FIRST_CLIENT, NULL, SCHEDGPU_FOREVER, NULL) !=
          SCHEDGPU_OK)
    _exit(3);
  send_byte(write_fd, 'a');
  receive_byte(read_fd);
  if (sg_lock(&h, SCHEDGPU_FOREVER) != SCHEDGPU_OK)
    _exit(4);
  send_byte(write_fd, 'l');
  return h;
}

/** Stays inside a transition until the test lets it continue. */
static inline void sits_on_the_lock(int write_fd, int read_fd) {
  struct sg_handle h = attach_and_lock(write_fd, read_fd);
  h.r->device[0].used_bytes += GIB;
  receive_byte(read_fd);
  h.r->device[0].used_bytes -= GIB;
  sg_unlock(&h);
  leave(&h);
  send_byte(write_fd, 'u');
}

static inline struct child start_lock_holder(void) {
  struct child c = child_start(1, sits_on_the_lock);
  assert_int_equal(receive_byte(c.from), 'a');
  send_byte(c.to, 'l');
  assert_int_equal(receive_byte(c.from), 'l');
  return c;
}

/** No process uses the node any more: checks that nothing is left. */
static inline void end_empty(struct node *n) {
  assert_int_equal(schedgpu_admin_reap(n->admin, NULL), SCHEDGPU_OK);
  for (uint64_t id = 1; id <= 4; id++)
    schedgpu_admin_job_end(n->admin, SCHEDGPU_JOB_SLURM, id);
  assert_int_equal(node_used(n), 0);
  node_free(n);
}

/** A child in its own namespaces: process 1 there, `c.pid` here. */
struct inner {
  struct child c;
  pid_t outer; /**< its parent, here */
};

static inline void write_text(const char *path, const char *text) {
  int fd = open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0)
    return;
  if (write(fd, text, strlen(text)) < 0)
    perror(path);
  close(fd);
}

static inline bool unshare_as_root(int flags) {
  if (unshare(flags) != 0)
    return false;
  if (flags & CLONE_NEWUSER) {
    write_text("/proc/self/setgroups", "deny");
    write_text("/proc/self/uid_map", "0 0 1");
    write_text("/proc/self/gid_map", "0 0 1");
  }
  return true;
}

static inline bool mount_own_proc(void) {
  return mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
         mount("proc", "/proc", "proc", 0, NULL) == 0;
}

/** Runs as the parent of process 1; sends 's' if the kernel does not permit it. */
static inline void start_inside(int write_fd, int read_fd, int pid_fd, int flags,
                                void (*body)(int say, int hear)) {
  pid_t pid = unshare_as_root(flags) ? fork() : -1;
  if (pid == 0) {
    if (!(flags & CLONE_NEWNS) || mount_own_proc())
      body(write_fd, read_fd);
    else
      send_byte(write_fd, 's');
    _exit(0);
  }
  if (pid < 0)
    send_byte(write_fd, 's');
  if (write(pid_fd, &pid, sizeof pid) != sizeof pid)
    _exit(7);
  close(write_fd);
  close(read_fd);
  while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
    ;
  _exit(0);
}

static int inner_flags, inner_pid_fd;
static void (*inner_body)(int say, int hear);
static inline void be_outer(int write_fd, int read_fd) {
  start_inside(write_fd, read_fd, inner_pid_fd, inner_flags, inner_body);
}

static inline struct inner inner_start(uint64_t job, int flags, void (*body)(int say, int hear)) {
  int pid_pipe[2];
  struct inner i;
  assert_int_equal(pipe(pid_pipe), 0);
  inner_flags = flags;
  inner_body = body;
  inner_pid_fd = pid_pipe[1];
  i.c = child_start(job, be_outer);
  i.outer = i.c.pid;
  close(pid_pipe[1]);
  assert_int_equal(read(pid_pipe[0], &i.c.pid, sizeof i.c.pid), sizeof i.c.pid);
  close(pid_pipe[0]);
  return i;
}

/** Kills it, and lets its parent reap it. */
static inline void inner_kill(struct inner *i) {
  if (i->c.pid > 0)
    kill(i->c.pid, SIGKILL);
  waitpid(i->outer, NULL, 0);
  close(i->c.from);
  close(i->c.to);
}

#endif

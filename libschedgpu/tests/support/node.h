/* node.h - a temporary node: a run directory with a region, and child processes that use it. */
#ifndef SG_TEST_NODE_H
#define SG_TEST_NODE_H

#include "fixture.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct node {
  char dir[64];
  schedgpu_admin *admin;
};

static inline void nap_ms(int ms) {
  struct timespec t = {ms / 1000, (long)(ms % 1000) * 1000000};
  nanosleep(&t, NULL);
}

/* Segments outlive their processes, so the regions of a test are removed even if it fails. */
static char node_dirs[8][64];
static pid_t node_owner;

static void node_remove_all(void) {
  for (int i = 0; i < 8; i++)
    if (node_dirs[i][0] && getpid() == node_owner) {
      schedgpu_admin_remove(node_dirs[i], 1);
      rmdir(node_dirs[i]);
    }
}

static void node_alarm(int signal_number) {
  static const char text[] = "hangs: ended by its alarm\n";
  if (write(2, text, sizeof text - 1) < 0 || getpid() != node_owner)
    _exit(1);
  node_remove_all();
  _exit(128 + signal_number);
}

static inline void node_remember(const char *dir) {
  if (node_owner == 0) {
    node_owner = getpid();
    atexit(node_remove_all);
    signal(SIGALRM, node_alarm);
  }
  for (int i = 0; i < 8; i++)
    if (!node_dirs[i][0]) {
      snprintf(node_dirs[i], sizeof node_dirs[i], "%s", dir);
      return;
    }
}

/** Removes the directory, and checks that nothing of the region, or anything else, is left. */
static inline void node_remove(const char *dir) {
  int rc = schedgpu_admin_remove(dir, 1);
  for (int i = 0; i < 8; i++)
    if (strcmp(node_dirs[i], dir) == 0)
      node_dirs[i][0] = 0;
  assert_true(rc == SCHEDGPU_OK || rc == SCHEDGPU_ENOREGION);
  assert_int_equal(rmdir(dir), 0);
}

/** A node with a region of its own; the environment of this process points to it. */
static inline struct node node_of(const struct schedgpu_setup *setup) {
  struct node n = {0};
  snprintf(n.dir, sizeof n.dir, "/dev/shm/schedgpu-test.XXXXXX");
  assert_non_null(mkdtemp(n.dir));
  node_remember(n.dir);
  assert_int_equal(chmod(n.dir, 0755), 0);
  assert_int_equal(schedgpu_admin_setup(n.dir, setup), SCHEDGPU_OK);
  assert_int_equal(schedgpu_admin_open(n.dir, &n.admin), SCHEDGPU_OK);
  setenv("SCHEDGPU_RUN_DIR", n.dir, 1);
  unsetenv("SCHEDGPU_DEVICES");
  return n;
}

/** One device of 10 GiB, contexts of `context_bytes`. */
static inline struct node node_new(uint64_t context_bytes, int64_t grace_ns) {
  struct schedgpu_setup s = fixture_setup(1, 10 * GIB, context_bytes, SCHEDGPU_POLICY_FIFO);
  s.grace_ns = grace_ns;
  return node_of(&s);
}

static inline void node_check(struct node *n) {
  char text[200];
  if (schedgpu_admin_check(n->admin, text, sizeof text) != SCHEDGPU_OK)
    fail_msg("invariant broken: %s", text);
}

static inline void node_free(struct node *n) {
  node_check(n);
  schedgpu_admin_close(n->admin);
  node_remove(n->dir);
}

static inline void node_job(struct node *n, uint64_t id, uint32_t mode, uint64_t budget_bytes) {
  struct schedgpu_job_spec s = job_spec(id, mode, budget_bytes, 50);
  s.uid = (uint32_t)getuid();
  assert_int_equal(schedgpu_admin_job_begin(n->admin, &s), SCHEDGPU_OK);
}

static inline void be_job(uint64_t id) {
  char text[32];
  snprintf(text, sizeof text, "slurm:%llu", (unsigned long long)id);
  setenv("SCHEDGPU_JOB", text, 1);
}

/** A child that runs `body` and reports to its parent through a pipe, one byte at a time. */
struct child {
  pid_t pid;
  int from; /**< the pipe from the child */
  int to;   /**< the pipe to the child */
};

static inline struct child child_start(uint64_t job, void (*body)(int write_fd, int read_fd)) {
  int up[2], down[2];
  assert_int_equal(pipe(up), 0);
  assert_int_equal(pipe(down), 0);
  fflush(NULL);
  pid_t pid = fork();
  assert_true(pid >= 0);
  if (pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* ends the child of a test that was killed */
    close(up[0]);
    close(down[1]);
    be_job(job);
    body(up[1], down[0]);
    _exit(0);
  }
  close(up[1]);
  close(down[0]);
  return (struct child){pid, up[0], down[1]};
}

static inline void send_byte(int fd, char c) {
  if (write(fd, &c, 1) == 1)
    return;
  if (getpid() != node_owner) /* a child runs no tests after its own is over */
    _exit(1);
  fail_msg("no process reads");
}

/** The next byte; '.' when the other side has ended. */
static inline char receive_byte(int fd) {
  char c;
  return read(fd, &c, 1) == 1 ? c : '.';
}

static inline void child_kill(struct child *c) {
  kill(c->pid, SIGKILL);
  waitpid(c->pid, NULL, 0);
  close(c->from);
  close(c->to);
}

static inline int child_wait(struct child *c) {
  int status;
  waitpid(c->pid, &status, 0);
  close(c->from);
  close(c->to);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/** Polls until `count` requests wait: the only way to know that a child sleeps in the queue. */
static inline void await_waiting(struct node *n, uint32_t count) {
  uint64_t size = schedgpu_snapshot_size();
  struct sg_region *r = aligned_alloc(64, (size + 63) / 64 * 64);
  assert_non_null(r);
  for (;;) {
    uint32_t waiting = 0;
    assert_int_equal(schedgpu_admin_snapshot(n->admin, r, size), SCHEDGPU_OK);
    for (uint32_t i = 0; i < SG_SLOTS; i++)
      waiting += r->waiter[i].state == SG_WAITING;
    if (waiting == count)
      break;
    nap_ms(2);
  }
  free(r);
}

static inline uint64_t node_used(struct node *n) {
  static struct sg_region *r; /* kept: its pages cost more than the copy */
  uint64_t size = schedgpu_snapshot_size();
  if (!r)
    r = aligned_alloc(64, (size + 63) / 64 * 64);
  assert_non_null(r);
  assert_int_equal(schedgpu_admin_snapshot(n->admin, r, size), SCHEDGPU_OK);
  return r->device[0].used_bytes;
}

#endif

/*
 * damaged_node.h - a node whose bytes and files can be damaged, with a process that holds memory,
 * one that waits, and a root side that comes later.
 */
#ifndef SG_TEST_DAMAGED_NODE_H
#define SG_TEST_DAMAGED_NODE_H

#include "../support/node.h"
#include "../../shell/region/run_dir.h"
#include <sys/shm.h>

#define ONDEMAND SCHEDGPU_MODE_ONDEMAND
#define STRANGER 54321 /* a user without any rights */

static inline void holds(int write_fd, int read_fd) {
  if (schedgpu_context_enter(0, SCHEDGPU_FOREVER) != SCHEDGPU_OK ||
      schedgpu_reserve(0, 6 * GIB, SCHEDGPU_FOREVER) != SCHEDGPU_OK)
    _exit(3);
  send_byte(write_fd, 'h');
  if (receive_byte(read_fd) != 'f')
    return;
  if (schedgpu_release(0, 6 * GIB) != SCHEDGPU_OK)
    _exit(4);
  send_byte(write_fd, 'r');
  receive_byte(read_fd);
}

static inline void waits(int write_fd, int read_fd) {
  int rc = schedgpu_reserve(0, 6 * GIB, SCHEDGPU_FOREVER);
  send_byte(write_fd, rc == SCHEDGPU_OK ? 'h' : rc == SCHEDGPU_ENOREGION ? 'g' : 'x');
  receive_byte(read_fd);
}

static inline struct schedgpu_setup as_node(void) {
  return fixture_setup(1, 10 * GIB, GIB / 4, SCHEDGPU_POLICY_FIFO);
}

static inline char *map(const struct node *n) {
  struct schedgpu_region_info info;
  assert_int_equal(schedgpu_admin_region_info(n->admin, &info), SCHEDGPU_OK);
  char *p = shmat(info.shmid, NULL, 0);
  assert_true(p != (void *)-1);
  return p;
}

static inline void path_of(const struct node *n, const char *name, char *path) {
  assert_int_equal(sg_path(path, n->dir, name), SCHEDGPU_OK);
}

static inline void overwrite(const struct node *n, const char *name, const char *text) {
  char path[PATH_MAX];
  path_of(n, name, path);
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  fputs(text, f);
  fclose(f);
}

static inline void delete (const struct node *n, const char *name) {
  char path[PATH_MAX];
  path_of(n, name, path);
  assert_int_equal(unlink(path), 0);
}

static inline void descriptor_deleted(struct node *n) {
  delete (n, "region");
}
static inline void live_deleted(struct node *n) {
  delete (n, "live");
}

/** Acts as prolog, epilog and reap do. */
static inline void root_side_checks(struct node *n) {
  struct schedgpu_setup s = as_node();
  assert_int_equal(schedgpu_admin_setup(n->dir, &s), SCHEDGPU_OK);
  schedgpu_admin_close(n->admin);
  assert_int_equal(schedgpu_admin_open(n->dir, &n->admin), SCHEDGPU_OK);
  assert_int_equal(schedgpu_admin_reap(n->admin, NULL), SCHEDGPU_OK);
}

static inline void attaches(int write_fd, int read_fd) {
  (void)read_fd;
  int rc = schedgpu_attach();
  send_byte(write_fd, (char)('A' - rc));
}

static inline int attach_as(uint64_t job) {
  struct child c = child_start(job, attaches);
  int rc = 'A' - receive_byte(c.from);
  child_kill(&c);
  return rc;
}

#endif

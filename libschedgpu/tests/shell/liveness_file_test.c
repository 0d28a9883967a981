/* The liveness file is replaced, or does not match a record: no live process is declared dead. */
#include "damaged_node.h"
#include "../../shell/admin/admin_handle.h"
#include <pthread.h>

static void a_process_with_an_old_liveness_file_is_alive(void **state) {
  (void)state;
  struct node n = node_new(0, 0);
  struct schedgpu_reaped reaped;
  struct schedgpu_region_info info;
  node_job(&n, 1, ONDEMAND, 0);
  node_job(&n, 2, ONDEMAND, 0);
  struct child a = child_start(1, holds);
  assert_int_equal(receive_byte(a.from), 'h');
  live_deleted(&n);
  assert_int_equal(schedgpu_admin_region_info(n.admin, &info), SCHEDGPU_OK);
  assert_int_equal(info.live_right, 0);
  assert_int_equal(schedgpu_admin_reap(n.admin, &reaped), SCHEDGPU_OK);
  assert_int_equal(reaped.clients, 0);
  root_side_checks(&n);
  assert_int_equal(schedgpu_admin_region_info(n.admin, &info), SCHEDGPU_OK);
  assert_int_equal(info.live_right, 1);
  assert_int_equal(schedgpu_admin_reap(n.admin, &reaped), SCHEDGPU_OK);
  assert_int_equal(reaped.clients, 0);
  assert_int_equal(node_used(&n), 6 * GIB);
  /* a new process waits: it does not get the first one's slot */
  struct child b = child_start(2, waits);
  await_waiting(&n, 1);
  child_kill(&a); /* locked in the older file, but certainly gone */
  assert_int_equal(receive_byte(b.from), 'h');
  child_kill(&b);
  assert_int_equal(schedgpu_admin_reap(n.admin, &reaped), SCHEDGPU_OK);
  assert_int_equal(reaped.clients, 1);
  assert_int_equal(node_used(&n), 0);
  node_free(&n);
}

static void taking_the_lock_locks_the_new_liveness_file(void **state) {
  (void)state;
  struct node n = node_new(0, 0);
  node_job(&n, 1, ONDEMAND, 0);
  struct child a = child_start(1, holds);
  assert_int_equal(receive_byte(a.from), 'h');
  live_deleted(&n);
  root_side_checks(&n);
  send_byte(a.to, 'f');
  assert_int_equal(receive_byte(a.from), 'r');
  struct sg_region *r = (struct sg_region *)map(&n);
  uint32_t renewed = 0;
  for (uint32_t i = SG_FIRST_CLIENT; i < SG_SLOTS; i++)
    renewed += r->client[i].state == SG_ACTIVE && r->client[i].live_ino == r->h.live_ino;
  assert_int_equal(renewed, 1);
  shmdt(r);
  child_kill(&a);
  assert_int_equal(schedgpu_admin_reap(n.admin, NULL), SCHEDGPU_OK);
  node_free(&n);
}

static void a_process_with_a_damaged_generation_is_alive(void **state) {
  (void)state;
  struct node n = node_new(0, 0);
  struct schedgpu_reaped reaped;
  node_job(&n, 1, ONDEMAND, 0);
  struct child a = child_start(1, holds);
  assert_int_equal(receive_byte(a.from), 'h');
  struct sg_region *r = (struct sg_region *)map(&n);
  for (uint32_t i = SG_FIRST_CLIENT; i < SG_SLOTS; i++)
    if (r->client[i].state == SG_ACTIVE)
      atomic_fetch_add(&r->client[i].gen, 1);
  shmdt(r);
  assert_int_equal(schedgpu_admin_reap(n.admin, &reaped), SCHEDGPU_OK);
  assert_int_equal(reaped.clients, 0);
  send_byte(a.to, 'f');
  assert_int_equal(receive_byte(a.from), 'r');
  child_kill(&a);
  assert_int_equal(schedgpu_admin_reap(n.admin, &reaped), SCHEDGPU_OK);
  assert_int_equal(reaped.clients, 1);
  node_free(&n);
}

static void expect_none_reaped(struct node *n) {
  struct schedgpu_reaped reaped;
  assert_int_equal(schedgpu_admin_reap(n->admin, &reaped), SCHEDGPU_OK);
  assert_int_equal(reaped.clients, 0);
  assert_int_equal(node_used(n), 6 * GIB);
}

/** As after a stray write: the record names a liveness file that does not exist. */
static void damage_live_ino(const struct node *n) {
  struct sg_region *r = (struct sg_region *)map(n);
  for (uint32_t i = SG_FIRST_CLIENT; i < SG_SLOTS; i++)
    if (r->client[i].state == SG_ACTIVE)
      r->client[i].live_ino += 1000;
  shmdt(r);
}

/** Its parent has not waited for it: its pid exists, its memory does not. */
static void a_zombie_of_no_liveness_file_is_dead(void **state) {
  (void)state;
  struct node n = node_new(0, 0);
  node_job(&n, 1, ONDEMAND, 0);
  node_job(&n, 2, ONDEMAND, 0);
  struct child a = child_start(1, holds);
  assert_int_equal(receive_byte(a.from), 'h');
  damage_live_ino(&n);
  expect_none_reaped(&n);
  struct child b = child_start(2, waits);
  await_waiting(&n, 1);
  kill(a.pid, SIGKILL);
  assert_int_equal(receive_byte(b.from), 'h');
  child_kill(&b);
  child_kill(&a);
  assert_int_equal(schedgpu_admin_reap(n.admin, NULL), SCHEDGPU_OK);
  assert_int_equal(node_used(&n), 0);
  node_free(&n);
}

static int other_thread_receives;

static void *lives_on(void *unused) {
  receive_byte(other_thread_receives);
  return unused;
}

static void main_thread_ends(int write_fd, int read_fd) {
  pthread_t other;
  other_thread_receives = read_fd;
  if (schedgpu_reserve(0, 6 * GIB, 0) != SCHEDGPU_OK ||
      pthread_create(&other, NULL, lives_on, NULL) != 0)
    _exit(3);
  send_byte(write_fd, 'h');
  pthread_exit(NULL);
}

static void await_state(pid_t pid, char state) {
  while (sg_proc_state(pid) != state)
    nap_ms(2);
}

/** Its main thread is a zombie, and /proc shows the process as one. */
static void a_process_of_no_liveness_file_lives_without_its_main_thread(void **state) {
  (void)state;
  struct node n = node_new(0, 0);
  node_job(&n, 1, ONDEMAND, 0);
  struct child a = child_start(1, main_thread_ends);
  assert_int_equal(receive_byte(a.from), 'h');
  damage_live_ino(&n);
  await_state(a.pid, 'Z');
  expect_none_reaped(&n);
  child_kill(&a);
  assert_int_equal(schedgpu_admin_reap(n.admin, NULL), SCHEDGPU_OK);
  assert_int_equal(node_used(&n), 0);
  node_free(&n);
}

/** A process of the root side that stays attached. */
static void attends(int write_fd, int read_fd) {
  schedgpu_admin *a;
  if (schedgpu_admin_open(getenv("SCHEDGPU_RUN_DIR"), &a) != SCHEDGPU_OK ||
      schedgpu_admin_reap(a, NULL) != SCHEDGPU_OK)
    _exit(3);
  send_byte(write_fd, 'a');
  receive_byte(read_fd);
}

/** The number of locked bytes of a liveness file, of the slots in [first, end). */
static uint32_t locked(const struct node *n, const char *name, uint32_t first, uint32_t end) {
  char path[PATH_MAX];
  uint32_t count = 0;
  path_of(n, name, path);
  int fd = open(path, O_RDONLY);
  assert_true(fd >= 0);
  for (uint32_t slot = first; slot < end; slot++) {
    struct flock byte = {
        .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = (off_t)slot, .l_len = 1};
    assert_int_equal(fcntl(fd, F_OFD_GETLK, &byte), 0);
    count += byte.l_type != F_UNLCK;
  }
  close(fd);
  return count;
}

static void each_side_locks_its_own_file(void **state) {
  (void)state;
  struct node n = node_new(0, 0);
  if (geteuid() != 0)
    skip(); /* only root has slots of the root side */
  node_job(&n, 1, ONDEMAND, 0);
  struct child a = child_start(1, holds), admin = child_start(0, attends);
  assert_int_equal(receive_byte(a.from), 'h');
  assert_int_equal(receive_byte(admin.from), 'a');
  assert_true(n.admin->h.slot < SG_FIRST_CLIENT);
  assert_int_equal(locked(&n, "live.root", SG_FIRST_ADMIN, SG_FIRST_CLIENT), 2);
  assert_int_equal(locked(&n, "live.root", 0, SG_SLOTS), 2);
  assert_int_equal(locked(&n, "live", SG_FIRST_CLIENT, SG_SLOTS), 1);
  assert_int_equal(locked(&n, "live", 0, SG_SLOTS), 1);
  child_kill(&a);
  child_kill(&admin);
  assert_int_equal(locked(&n, "live.root", 0, SG_SLOTS), 1);
  assert_int_equal(locked(&n, "live", 0, SG_SLOTS), 0);
  assert_int_equal(schedgpu_admin_reap(n.admin, NULL), SCHEDGPU_OK);
  node_free(&n);
}

static ino_t inode(const struct node *n, const char *name) {
  char path[PATH_MAX];
  struct stat st;
  path_of(n, name, path);
  assert_int_equal(stat(path, &st), 0);
  return st.st_ino;
}

static void expect_right(struct node *n, int right) {
  struct schedgpu_region_info info;
  assert_int_equal(schedgpu_admin_region_info(n->admin, &info), SCHEDGPU_OK);
  assert_int_equal(info.live_right, right);
}

/** A client and a process of the root side survive the loss, and die afterwards. */
static void one_is_lost(const char *lost, const char *other) {
  struct node n = node_new(0, 0);
  struct schedgpu_reaped reaped;
  struct schedgpu_setup s = as_node();
  node_job(&n, 1, ONDEMAND, 0);
  struct child a = child_start(1, holds), admin = child_start(0, attends);
  assert_int_equal(receive_byte(a.from), 'h');
  assert_int_equal(receive_byte(admin.from), 'a');
  ino_t old = inode(&n, lost), kept = inode(&n, other);
  delete (&n, lost);
  expect_right(&n, 0);
  expect_none_reaped(&n);
  assert_int_equal(schedgpu_admin_setup(n.dir, &s), SCHEDGPU_OK);
  expect_right(&n, 1);
  assert_int_not_equal(inode(&n, lost), old);
  assert_int_equal(inode(&n, other), kept);
  struct sg_region *r = n.admin->h.r;
  assert_int_equal(r->h.live_ino, inode(&n, "live"));
  assert_int_equal(r->h.root_live_ino, inode(&n, "live.root"));
  expect_none_reaped(&n);
  child_kill(&a);
  child_kill(&admin);
  assert_int_equal(schedgpu_admin_reap(n.admin, &reaped), SCHEDGPU_OK);
  assert_int_equal(reaped.clients, 2);
  assert_int_equal(node_used(&n), 0);
  node_free(&n);
}

static void only_the_clients_file_is_created_again(void **state) {
  (void)state;
  one_is_lost("live", "live.root");
}

static void only_the_root_sides_file_is_created_again(void **state) {
  (void)state;
  one_is_lost("live.root", "live");
}

/** Locks belong to the file and not to its content: nothing is lost. */
static void an_emptied_file_still_shows_live_clients(void **state) {
  (void)state;
  const char *const names[] = {"live", "live.root"};
  for (int i = 0; i < 2; i++) {
    struct node n = node_new(0, 0);
    struct schedgpu_reaped reaped;
    node_job(&n, 1, ONDEMAND, 0);
    struct child a = child_start(1, holds), admin = child_start(0, attends);
    assert_int_equal(receive_byte(a.from), 'h');
    assert_int_equal(receive_byte(admin.from), 'a');
    ino_t live = inode(&n, "live"), root_live = inode(&n, "live.root");
    overwrite(&n, names[i], "");
    expect_right(&n, 1);
    root_side_checks(&n);
    expect_none_reaped(&n);
    assert_true(inode(&n, "live") == live && inode(&n, "live.root") == root_live);
    child_kill(&a);
    child_kill(&admin);
    assert_int_equal(schedgpu_admin_reap(n.admin, &reaped), SCHEDGPU_OK);
    assert_int_equal(reaped.clients, 2);
    node_free(&n);
  }
}

static mode_t mode_of(const struct node *n, const char *name) {
  char path[PATH_MAX];
  struct stat st;
  path_of(n, name, path);
  assert_int_equal(stat(path, &st), 0);
  return st.st_mode & 0777;
}

/** Users may lock bytes of clients only; and none if only the agent writes the region. */
static void users_may_test_but_not_lock_bytes_of_the_root_side(void **state) {
  (void)state;
  const struct {
    int32_t group;
    mode_t live, root_live;
  } cases[] = {
      {-1, 0666, 0644}, {(int32_t)getgid(), 0660, 0640}, {SCHEDGPU_GROUP_NONE, 0600, 0600}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct schedgpu_setup s = as_node();
    s.group = cases[i].group;
    struct node n = node_of(&s);
    assert_int_equal(mode_of(&n, "live"), cases[i].live);
    assert_int_equal(mode_of(&n, "live.root"), cases[i].root_live);
    delete (&n, "live");
    delete (&n, "live.root");
    assert_int_equal(schedgpu_admin_setup(n.dir, &s), SCHEDGPU_OK);
    assert_int_equal(mode_of(&n, "live"), cases[i].live);
    assert_int_equal(mode_of(&n, "live.root"), cases[i].root_live);
    node_free(&n);
  }
}

int main(void) {
  alarm(600);
  signal(SIGPIPE, SIG_IGN);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_process_with_an_old_liveness_file_is_alive),
      cmocka_unit_test(taking_the_lock_locks_the_new_liveness_file),
      cmocka_unit_test(a_process_with_a_damaged_generation_is_alive),
      cmocka_unit_test(a_zombie_of_no_liveness_file_is_dead),
      cmocka_unit_test(a_process_of_no_liveness_file_lives_without_its_main_thread),
      cmocka_unit_test(each_side_locks_its_own_file),
      cmocka_unit_test(only_the_clients_file_is_created_again),
      cmocka_unit_test(only_the_root_sides_file_is_created_again),
      cmocka_unit_test(an_emptied_file_still_shows_live_clients),
      cmocka_unit_test(users_may_test_but_not_lock_bytes_of_the_root_side),
  };
  return cmocka_run_group_tests_name("liveness file", tests, NULL, NULL);
}

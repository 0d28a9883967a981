/*
 * Case 17: which processes may use the region, and which paths lead to the same one: other users,
 * sticky directories, private mounts, a /proc that hides processes. Needs root, and prints what it
 * has to skip.
 */
#include "robustness.h"
#include <grp.h>

#define STRANGERS_GROUP 54322
#define PROTECTED_REGULAR "/proc/sys/fs/protected_regular"

static void become_stranger(gid_t group) {
  if (setgroups(0, NULL) != 0 || setresgid(group, group, group) != 0 ||
      setresuid(STRANGER, STRANGER, STRANGER) != 0)
    _exit(9);
}

/** Job 1 is root's, job 2 the stranger's. */
static void add_jobs(struct node *n) {
  for (uint64_t id = 1; id <= 2; id++) {
    struct schedgpu_job_spec s = job_spec(id, ONDEMAND, 0, 50);
    s.uid = id == 1 ? 0 : STRANGER;
    assert_int_equal(schedgpu_admin_job_begin(n->admin, &s), SCHEDGPU_OK);
  }
}

#define need_root()                                                                                \
  do {                                                                                             \
    if (geteuid() != 0)                                                                            \
      skip_because("only root can become somebody else");                                          \
  } while (0)

/** A region of mode 0666, or 0660 with a group. */
static struct node node_of_group(int32_t group) {
  struct schedgpu_setup s = fixture_setup(1, 10 * GIB, 0, SCHEDGPU_POLICY_FIFO);
  s.group = group;
  struct node n = node_of(&s);
  add_jobs(&n);
  return n;
}

static gid_t strangers_group;

/** First as a process of root's job ('u': refused), then of his own. */
static void is_a_stranger(int write_fd, int read_fd) {
  become_stranger(strangers_group);
  be_job(1);
  int foreign = schedgpu_attach();
  be_job(2);
  int own = schedgpu_reserve(0, 6 * GIB, SCHEDGPU_FOREVER);
  send_byte(write_fd, own == SCHEDGPU_EPERM && foreign == own           ? 'p'
                      : own == SCHEDGPU_OK && foreign == SCHEDGPU_EUSER ? 'u'
                                                                        : 'x');
  receive_byte(read_fd);
}

static char what_a_stranger_gets(struct node *n, gid_t group) {
  strangers_group = group;
  struct child c = child_start(2, is_a_stranger);
  char said = receive_byte(c.from);
  assert_int_equal(node_used(n), said == 'u' ? 6 * GIB : 0);
  child_kill(&c);
  assert_int_equal(reap(n), said == 'u'); /* root notices his death */
  assert_int_equal(node_used(n), 0);
  return said;
}

static struct node *watched;

static void changes_the_policy(int write_fd, int read_fd) {
  become_stranger(0);
  schedgpu_admin *admin;
  int rc = schedgpu_admin_open(watched->dir, &admin);
  rc = rc == SCHEDGPU_OK ? schedgpu_admin_set_policy(admin, SCHEDGPU_POLICY_MMU) : rc;
  send_byte(write_fd, rc == SCHEDGPU_EPERM ? 'p' : 'x');
  receive_byte(read_fd);
}

/** Though the region is writable by him in Mode=shared. */
static void case_17_only_the_owner_changes_the_policy(void **state) {
  (void)state;
  need_root();
  struct node n = node_of_group(-1);
  watched = &n;
  struct child c = child_start(2, changes_the_policy);
  assert_int_equal(receive_byte(c.from), 'p');
  child_kill(&c);
  end_empty(&n);
}

static void case_17_mode_0666_a_foreign_user_joins_his_own_job_only(void **state) {
  (void)state;
  need_root();
  struct node n = node_of_group(-1);
  assert_int_equal(what_a_stranger_gets(&n, STRANGER), 'u');
  end_empty(&n);
}

static void case_17_mode_0660_only_the_group_gets_in(void **state) {
  (void)state;
  need_root();
  struct node n = node_of_group(STRANGERS_GROUP);
  assert_int_equal(what_a_stranger_gets(&n, STRANGER), 'p');
  assert_int_equal(what_a_stranger_gets(&n, STRANGERS_GROUP), 'u');
  end_empty(&n);
}

static void case_17_a_foreign_user_notices_the_death_of_roots_process(void **state) {
  (void)state;
  need_root();
  struct node n = node_of_group(-1);
  struct child a = start_holder(1);
  strangers_group = STRANGER;
  struct child b = child_start(2, is_a_stranger);
  await_waiting(&n, 1);
  child_kill(&a);
  assert_int_equal(receive_byte(b.from), 'u');
  child_kill(&b);
  end_empty(&n);
}

/* --- sticky directories --- */

static bool read_sysctl(char *value) {
  int fd = open(PROTECTED_REGULAR, O_RDONLY | O_CLOEXEC);
  bool ok = fd >= 0 && read(fd, value, 1) == 1;
  if (fd >= 0)
    close(fd);
  return ok;
}

static bool write_sysctl(char value) {
  int fd = open(PROTECTED_REGULAR, O_WRONLY | O_CLOEXEC);
  bool ok = fd >= 0 && write(fd, &value, 1) == 1;
  if (fd >= 0)
    close(fd);
  return ok;
}

/**
 * In a sticky directory that others may write, the kernel refuses open(O_CREAT) of an existing
 * file, if that belongs neither to us nor to the directory's owner. Ours is opened without O_CREAT.
 */
static void under_protected_regular(char level, mode_t directory) {
  need_root();
  char before;
  if (!read_sysctl(&before) || !write_sysctl(before))
    skip_because(PROTECTED_REGULAR " cannot be set");
  struct node n = node_of_group(-1);
  assert_int_equal(chown(n.dir, STRANGER + 1, STRANGER + 1), 0);
  assert_int_equal(chmod(n.dir, directory), 0);
  strangers_group = STRANGER;
  write_sysctl(level);
  struct child c = child_start(2, is_a_stranger);
  char said = receive_byte(c.from);
  write_sysctl(before);
  assert_int_equal(said, 'u');
  child_kill(&c);
  assert_int_equal(chown(n.dir, 0, 0), 0);
  end_empty(&n);
}

static void case_17_protected_regular_1_does_not_matter(void **state) {
  (void)state, under_protected_regular('1', 01777);
}
static void case_17_protected_regular_2_does_not_matter(void **state) {
  (void)state, under_protected_regular('2', 01775);
}

/* --- mounts --- */

static char other_path[] = "/tmp/schedgpu-test.XXXXXX";

static bool own_mounts(void) {
  return unshare(CLONE_NEWNS) == 0 && mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;
}

/** Its own /dev/shm, as job_container/tmpfs gives to each job; before that a bind mount. */
static void has_a_private_shm(int write_fd, int read_fd) {
  const char *dir = getenv("SCHEDGPU_RUN_DIR");
  if (!own_mounts() || mount(dir, other_path, NULL, MS_BIND, NULL) != 0 ||
      mount("none", "/dev/shm", "tmpfs", 0, NULL) != 0) {
    send_byte(write_fd, 's');
    _exit(0);
  }
  bool missing = schedgpu_attach() == SCHEDGPU_ENOREGION &&
                 schedgpu_reserve(0, GIB, 0) == SCHEDGPU_ENOREGION && access(dir, F_OK) != 0;
  send_byte(write_fd, missing ? 'n' : 'x');
  setenv("SCHEDGPU_RUN_DIR", other_path, 1);
  send_byte(write_fd, schedgpu_reserve(0, 6 * GIB, SCHEDGPU_FOREVER) == SCHEDGPU_OK ? 'b' : 'x');
  receive_byte(read_fd);
}

static struct child start_with_private_shm(struct node *n) {
  *n = node_with_jobs(2, ONDEMAND);
  strcpy(other_path + sizeof other_path - 7, "XXXXXX");
  assert_non_null(mkdtemp(other_path));
  return child_start(1, has_a_private_shm);
}

static void end_with_private_shm(struct node *n, struct child *c) {
  child_kill(c);
  rmdir(other_path);
  end_empty(n);
}

static void case_17_a_private_dev_shm_is_enoregion_and_never_a_second_region(void **state) {
  (void)state;
  struct node n;
  struct child c = start_with_private_shm(&n);
  char said = receive_byte(c.from);
  end_with_private_shm(&n, &c);
  if (said == 's')
    skip_because("the kernel does not give us a mount namespace");
  assert_int_equal(said, 'n');
}

/** Another path to the region, in another mount namespace, leads to the same region and liveness
 * file. */
static void case_17_a_bind_mounted_path_is_the_same_region(void **state) {
  (void)state;
  struct node n;
  struct child c = start_with_private_shm(&n);
  char first = receive_byte(c.from), second = receive_byte(c.from);
  uint64_t used = node_used(&n);
  uint32_t dead = reap(&n);
  if (first == 's') {
    end_with_private_shm(&n, &c);
    skip_because("the kernel does not give us a mount namespace");
  }
  assert_int_equal(second, 'b');
  assert_int_equal(used, 6 * GIB);
  assert_int_equal(dead, 0);
  struct child waiter = child_start(2, holds_six);
  await_waiting(&n, 1);
  kill(c.pid, SIGKILL); /* and its death is seen from the other path */
  assert_int_equal(receive_byte(waiter.from), 'h');
  child_kill(&waiter);
  end_with_private_shm(&n, &c);
}

/* --- a /proc that hides the processes of others --- */

static pid_t hidden;

/** Waits behind root's process, whose /proc entry it cannot see, and scans for dead clients
 * itself. */
static void sees_only_itself(int write_fd, int read_fd) {
  char path[32];
  struct schedgpu_reaped reaped = {0};
  schedgpu_admin *admin;
  snprintf(path, sizeof path, "/proc/%d", hidden);
  if (!own_mounts() || mount("proc", "/proc", "proc", 0, "hidepid=2") != 0) {
    send_byte(write_fd, 's');
    _exit(0);
  }
  become_stranger(STRANGER);
  send_byte(write_fd, access(path, F_OK) != 0 ? 'i' : 'x');
  bool spared = schedgpu_admin_open(getenv("SCHEDGPU_RUN_DIR"), &admin) == SCHEDGPU_OK &&
                schedgpu_admin_reap(admin, &reaped) == SCHEDGPU_OK && reaped.clients == 0;
  send_byte(write_fd, spared ? 'a' : 'x');
  send_byte(write_fd, schedgpu_reserve(0, 6 * GIB, SCHEDGPU_FOREVER) == SCHEDGPU_OK ? 'h' : 'x');
  receive_byte(read_fd);
}

static void case_17_hidepid_declares_no_process_dead(void **state) {
  (void)state;
  need_root();
  struct node n = node_of_group(-1);
  struct child a = start_holder(1);
  hidden = a.pid;
  struct child b = child_start(2, sees_only_itself);
  char said = receive_byte(b.from);
  if (said == 's') {
    child_kill(&a);
    child_kill(&b);
    end_empty(&n);
    skip_because("the kernel mounts no /proc with hidepid");
  }
  assert_int_equal(said, 'i');
  assert_int_equal(receive_byte(b.from), 'a');
  await_waiting(&n, 1);
  child_kill(&a);
  assert_int_equal(receive_byte(b.from), 'h');
  child_kill(&b);
  end_empty(&n);
}

/** Begins a job as `schedgpu run` does, as in a container without privileges. */
static void is_root_to_itself(int write_fd, int read_fd) {
  schedgpu_admin *admin;
  char map[32];
  struct schedgpu_job_spec s = job_spec(7, ONDEMAND, 0, 50);
  s.kind = SCHEDGPU_JOB_RUN;
  s.flags = SCHEDGPU_JOB_FLAG_OWNED;
  s.uid = STRANGER;
  become_stranger(STRANGER);
  prctl(PR_SET_DUMPABLE, 1); /* otherwise it could not write its own uid_map */
  if (unshare(CLONE_NEWUSER) != 0) {
    send_byte(write_fd, 's');
    _exit(0);
  }
  snprintf(map, sizeof map, "0 %u 1", STRANGER);
  write_text("/proc/self/setgroups", "deny");
  write_text("/proc/self/uid_map", map);
  write_text("/proc/self/gid_map", map);
  send_byte(write_fd, geteuid() == 0 ? 'r' : 's');
  int rc = schedgpu_admin_open(getenv("SCHEDGPU_RUN_DIR"), &admin);
  rc = rc == SCHEDGPU_OK ? schedgpu_admin_job_begin(admin, &s) : rc;
  send_byte(write_fd, rc == SCHEDGPU_OK ? 'b' : (char)('A' - rc));
  receive_byte(read_fd);
}

static void case_17_root_of_a_container_is_an_ordinary_user(void **state) {
  (void)state;
  need_root();
  struct node n = node_of_group(-1);
  struct child c = child_start(7, is_root_to_itself);
  char said = receive_byte(c.from);
  if (said == 'r')
    assert_int_equal(receive_byte(c.from), 'b');
  child_kill(&c);
  assert_int_equal(reap(&n), said == 'r');
  end_empty(&n);
  if (said != 'r')
    skip_because("the kernel gives no user namespace to users");
}

int main(void) {
  alarm(600);
  signal(SIGPIPE, SIG_IGN);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(case_17_only_the_owner_changes_the_policy),
      cmocka_unit_test(case_17_mode_0666_a_foreign_user_joins_his_own_job_only),
      cmocka_unit_test(case_17_mode_0660_only_the_group_gets_in),
      cmocka_unit_test(case_17_a_foreign_user_notices_the_death_of_roots_process),
      cmocka_unit_test(case_17_protected_regular_1_does_not_matter),
      cmocka_unit_test(case_17_protected_regular_2_does_not_matter),
      cmocka_unit_test(case_17_a_private_dev_shm_is_enoregion_and_never_a_second_region),
      cmocka_unit_test(case_17_a_bind_mounted_path_is_the_same_region),
      cmocka_unit_test(case_17_hidepid_declares_no_process_dead),
      cmocka_unit_test(case_17_root_of_a_container_is_an_ordinary_user),
  };
  return cmocka_run_group_tests_name("case 17: other users, other mounts", tests, NULL, NULL);
}

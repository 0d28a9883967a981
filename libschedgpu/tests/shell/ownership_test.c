/*
 * Which users may create, replace and remove a region: neither another user nor another version of
 * the library, and no one while it is used.
 */
#include "damaged_node.h"
#include <sched.h>

static bool fails(int rc) {
  return rc != 0 && (errno == EACCES || errno == EPERM);
}

static void tries_everything(int write_fd, int read_fd) {
  char path[PATH_MAX];
  struct shmid_ds ds;
  int shmid = 0;
  (void)read_fd;
  if (read(read_fd, &shmid, sizeof shmid) != sizeof shmid || setgid(STRANGER) != 0 ||
      setuid(STRANGER) != 0)
    _exit(9);
  const char *dir = getenv("SCHEDGPU_RUN_DIR");
  const char *names[] = {"region", "checkpoint", "setup.lock", "live.root", "live"};
  bool ok = shmctl(shmid, IPC_STAT, &ds) == 0 && fails(shmctl(shmid, IPC_RMID, NULL)) &&
            fails(shmctl(shmid, IPC_SET, &ds));
  for (int i = 0; i < 5; i++) {
    sg_path(path, dir, names[i]);
    ok = ok && fails(unlink(path)) && (i == 4 || fails(truncate(path, 0)));
  }
  ok = ok && schedgpu_admin_remove(dir, 1) == SCHEDGPU_EPERM;
  send_byte(write_fd, ok ? 'y' : 'n');
}

static void another_user_can_neither_remove_nor_truncate_it(void **state) {
  (void)state;
  struct node n = node_new(0, 0);
  struct schedgpu_region_info info;
  node_job(&n, 1, ONDEMAND, 0);
  struct child a = child_start(1, holds);
  assert_int_equal(receive_byte(a.from), 'h');
  struct child b = child_start(2, tries_everything);
  assert_int_equal(schedgpu_admin_region_info(n.admin, &info), SCHEDGPU_OK);
  assert_int_equal(write(b.to, &info.shmid, sizeof info.shmid), sizeof info.shmid);
  assert_int_equal(receive_byte(b.from), 'y');
  assert_int_equal(child_wait(&b), 0);
  send_byte(a.to, 'f');
  assert_int_equal(receive_byte(a.from), 'r');
  child_kill(&a);
  assert_int_equal(schedgpu_admin_reap(n.admin, NULL), SCHEDGPU_OK);
  node_free(&n);
}

static void attaches_without_a_uid(int write_fd, int read_fd) {
  if (unshare(CLONE_NEWUSER) != 0) {
    send_byte(write_fd, 's');
    receive_byte(read_fd);
    return;
  }
  send_byte(write_fd, schedgpu_attach() == SCHEDGPU_OK ? 'y' : 'n');
  receive_byte(read_fd);
}

/** As in a container of an image that names a user. */
static void attaches_with_another_uid(int write_fd, int read_fd) {
  unsigned outside = getuid();
  FILE *map = unshare(CLONE_NEWUSER) == 0 ? fopen("/proc/self/uid_map", "w") : NULL;
  if (map) {
    fprintf(map, "5 %u 1", outside);
    fclose(map);
  }
  if (getuid() != 5)
    send_byte(write_fd, 's');
  else
    send_byte(write_fd, schedgpu_attach() == SCHEDGPU_OK ? 'y' : 'n');
  receive_byte(read_fd);
}

/** What a process learnt about its user before does not count after it has left the namespace. */
static void attaches_with_and_without_a_uid(int write_fd, int read_fd) {
  if (schedgpu_attach() != SCHEDGPU_OK || schedgpu_detach() != SCHEDGPU_OK)
    _exit(9);
  attaches_without_a_uid(write_fd, read_fd);
}

static void joins_its_own_job(void (*joins)(int write_fd, int read_fd)) {
  struct node n = node_new(0, 0);
  node_job(&n, 1, ONDEMAND, 0);
  struct child a = child_start(1, joins);
  char answer = receive_byte(a.from);
  child_kill(&a);
  assert_int_equal(schedgpu_admin_reap(n.admin, NULL), SCHEDGPU_OK);
  node_free(&n);
  if (answer == 's')
    skip(); /* no user may make a user namespace here */
  assert_int_equal(answer, 'y');
}

/** In a user namespace without a map, every user looks like nobody, also to himself. */
static void a_process_in_a_user_namespace_joins_its_own_job(void **state) {
  (void)state;
  joins_its_own_job(attaches_without_a_uid);
}

static void a_process_with_another_uid_in_a_user_namespace_joins_its_own_job(void **state) {
  (void)state;
  joins_its_own_job(attaches_with_another_uid);
}

static void a_process_that_changes_its_user_namespace_joins_its_own_job(void **state) {
  (void)state;
  joins_its_own_job(attaches_with_and_without_a_uid);
}

static void sets_up_as_stranger(int write_fd, int read_fd) {
  struct schedgpu_setup s = as_node();
  const char *dir = getenv("SCHEDGPU_RUN_DIR");
  if (setgid(STRANGER) != 0 || setuid(STRANGER) != 0)
    _exit(9);
  send_byte(write_fd, schedgpu_admin_setup(dir, &s) == SCHEDGPU_OK ? 'y' : 'n');
  receive_byte(read_fd);
  send_byte(write_fd, schedgpu_admin_remove(dir, 1) == SCHEDGPU_OK ? 'y' : 'n');
}

static void a_region_of_another_user_is_not_trusted(void **state) {
  (void)state;
  char dir[] = "/dev/shm/schedgpu-test.XXXXXX";
  schedgpu_admin *admin;
  struct schedgpu_setup s = as_node();
  assert_non_null(mkdtemp(dir));
  node_remember(dir);
  assert_int_equal(chmod(dir, 0755), 0);
  assert_int_equal(chown(dir, STRANGER, STRANGER), 0);
  setenv("SCHEDGPU_RUN_DIR", dir, 1);
  struct child c = child_start(1, sets_up_as_stranger);
  assert_int_equal(receive_byte(c.from), 'y');
  assert_int_equal(schedgpu_admin_open(dir, &admin), SCHEDGPU_EOWNER);
  assert_int_equal(schedgpu_admin_setup(dir, &s), SCHEDGPU_EOWNER);
  assert_int_equal(schedgpu_admin_remove(dir, 1), SCHEDGPU_EOWNER);
  assert_int_equal(attach_as(1), SCHEDGPU_EOWNER);
  send_byte(c.to, 'g');
  assert_int_equal(receive_byte(c.from), 'y');
  assert_int_equal(child_wait(&c), 0);
  assert_int_equal(rmdir(dir), 0);
}

/** Another user who knows how keys are derived has taken the first one. */
static void a_foreign_segment_on_the_key_is_skipped(void **state) {
  (void)state;
  struct node n = node_new(0, 0);
  struct shmid_ds ds;
  struct schedgpu_region_info info;
  assert_int_equal(schedgpu_admin_region_info(n.admin, &info), SCHEDGPU_OK);
  assert_int_equal(shmctl(info.shmid, IPC_STAT, &ds), 0);
  key_t key = ds.shm_perm.__key;
  schedgpu_admin_close(n.admin);
  assert_int_equal(schedgpu_admin_remove(n.dir, 0), SCHEDGPU_OK);
  int squatter = shmget(key, sizeof(struct sg_region), IPC_CREAT | IPC_EXCL | 0666);
  assert_true(squatter >= 0 && shmctl(squatter, IPC_STAT, &ds) == 0);
  ds.shm_perm.uid = STRANGER;
  assert_int_equal(shmctl(squatter, IPC_SET, &ds), 0);
  struct schedgpu_setup s = as_node();
  for (int i = 0; i < 2; i++) { /* made, and found again without its descriptor */
    assert_int_equal(schedgpu_admin_setup(n.dir, &s), SCHEDGPU_OK);
    assert_int_equal(schedgpu_admin_open(n.dir, &n.admin), SCHEDGPU_OK);
    int32_t before = info.shmid;
    assert_int_equal(schedgpu_admin_region_info(n.admin, &info), SCHEDGPU_OK);
    assert_int_not_equal(info.shmid, squatter);
    assert_true(i == 0 || info.shmid == before);
    schedgpu_admin_close(n.admin);
    if (i == 0)
      descriptor_deleted(&n);
  }
  shmctl(squatter, IPC_RMID, NULL);
  assert_int_equal(schedgpu_admin_open(n.dir, &n.admin), SCHEDGPU_OK);
  node_free(&n);
}

static void a_region_of_another_version_is_never_adopted(void **state) {
  (void)state;
  struct node n = node_new(0, 0);
  struct schedgpu_setup s = as_node();
  schedgpu_admin *admin;
  overwrite(&n, "region", "schedgpu region 2\n");
  assert_int_equal(schedgpu_admin_setup(n.dir, &s), SCHEDGPU_EVERSION);
  assert_int_equal(schedgpu_admin_open(n.dir, &admin), SCHEDGPU_EVERSION);
  assert_int_equal(attach_as(1), SCHEDGPU_EVERSION);
  const uint64_t magic = SG_MAGIC; /* until version 2 the file was the region itself */
  char path[PATH_MAX];
  path_of(&n, "region", path);
  int fd = open(path, O_WRONLY | O_TRUNC);
  assert_int_equal(write(fd, &magic, sizeof magic), sizeof magic);
  close(fd);
  assert_int_equal(schedgpu_admin_setup(n.dir, &s), SCHEDGPU_EVERSION);
  delete (&n, "region");
  assert_int_equal(schedgpu_admin_setup(n.dir, &s), SCHEDGPU_OK);
  node_free(&n);
}

static void a_region_in_use_is_removed_only_by_force(void **state) {
  (void)state;
  struct node n = node_new(0, 0);
  node_job(&n, 1, ONDEMAND, 0);
  struct child a = child_start(1, holds);
  assert_int_equal(receive_byte(a.from), 'h');
  schedgpu_admin_close(n.admin);
  assert_int_equal(schedgpu_admin_remove(n.dir, 0), SCHEDGPU_EINUSE);
  assert_int_equal(schedgpu_admin_open(n.dir, &n.admin), SCHEDGPU_OK);
  assert_int_equal(node_used(&n), 6 * GIB);
  child_kill(&a);
  assert_int_equal(schedgpu_admin_reap(n.admin, NULL), SCHEDGPU_OK);
  schedgpu_admin_close(n.admin);
  n.admin = NULL;
  node_remove(n.dir);
}

int main(void) {
  alarm(600);
  signal(SIGPIPE, SIG_IGN);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(another_user_can_neither_remove_nor_truncate_it),
      cmocka_unit_test(a_process_in_a_user_namespace_joins_its_own_job),
      cmocka_unit_test(a_process_with_another_uid_in_a_user_namespace_joins_its_own_job),
      cmocka_unit_test(a_process_that_changes_its_user_namespace_joins_its_own_job),
      cmocka_unit_test(a_region_of_another_user_is_not_trusted),
      cmocka_unit_test(a_foreign_segment_on_the_key_is_skipped),
      cmocka_unit_test(a_region_of_another_version_is_never_adopted),
      cmocka_unit_test(a_region_in_use_is_removed_only_by_force),
  };
  return cmocka_run_group_tests_name("ownership", tests, NULL, NULL);
}

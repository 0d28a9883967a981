/* After an update: a region that differs from ours only in its layout version. */
#include "../support/node.h"
#include <sys/file.h>
#include <sys/shm.h>

#define ONDEMAND SCHEDGPU_MODE_ONDEMAND
#define OLD 4u

static struct schedgpu_setup as_node(void) {
  return fixture_setup(1, 10 * GIB, 0, SCHEDGPU_POLICY_FIFO);
}

/** As if an older schedgpu had created it: our own version first reads the file. */
static void make_old(const struct node *n) {
  char path[100], text[513], *rest;
  snprintf(path, sizeof path, "%s/region", n->dir);
  FILE *f = fopen(path, "r+");
  assert_non_null(f);
  size_t size = fread(text, 1, sizeof text - 1, f);
  text[size] = 0;
  rest = strchr(text, '\n');
  assert_non_null(rest);
  rewind(f);
  fprintf(f, "schedgpu region %u%s", OLD, rest);
  fclose(f);
}

static int32_t segment_of(struct node *n) {
  struct schedgpu_region_info info;
  assert_int_equal(schedgpu_admin_region_info(n->admin, &info), SCHEDGPU_OK);
  return info.shmid;
}

/** Number of users of a region of another layout; -1: there is none. */
static int64_t users_of(const struct node *n) {
  uint32_t version;
  uint64_t processes;
  int rc = schedgpu_admin_other_layout(n->dir, &version, &processes);
  if (rc == SCHEDGPU_ENOREGION)
    return -1;
  assert_int_equal(rc, SCHEDGPU_OK);
  assert_int_equal(version, OLD);
  return (int64_t)processes;
}

static void holds(int write_fd, int read_fd) {
  if (schedgpu_reserve(0, GIB, 0) != SCHEDGPU_OK)
    _exit(3);
  send_byte(write_fd, 'h');
  receive_byte(read_fd);
}

static void an_unused_region_is_replaced(void **state) {
  (void)state;
  struct shmid_ds facts;
  struct node n = node_new(0, 0);
  struct schedgpu_setup s = as_node();
  int32_t old = segment_of(&n);
  assert_int_equal(users_of(&n), -1);
  schedgpu_admin_close(n.admin);
  make_old(&n);
  assert_int_equal(users_of(&n), 0);
  assert_int_equal(schedgpu_admin_open(n.dir, &n.admin), SCHEDGPU_EVERSION);
  assert_int_equal(schedgpu_admin_setup(n.dir, &s), SCHEDGPU_OK);
  assert_int_equal(shmctl(old, IPC_STAT, &facts), -1);
  assert_int_equal(users_of(&n), -1);
  assert_int_equal(schedgpu_admin_open(n.dir, &n.admin), SCHEDGPU_OK);
  node_free(&n);
}

static void a_region_in_use_stays_until_its_last_process_is_gone(void **state) {
  (void)state;
  struct shmid_ds facts;
  struct node n = node_new(0, 0);
  struct schedgpu_setup s = as_node();
  int32_t old = segment_of(&n);
  node_job(&n, 1, ONDEMAND, 0);
  struct child a = child_start(1, holds), b = child_start(1, holds);
  assert_int_equal(receive_byte(a.from), 'h');
  assert_int_equal(receive_byte(b.from), 'h');
  schedgpu_admin_close(n.admin);
  make_old(&n);
  assert_int_equal(users_of(&n), 2);
  assert_int_equal(schedgpu_admin_setup(n.dir, &s), SCHEDGPU_EVERSION);
  child_kill(&a);
  assert_int_equal(users_of(&n), 1);
  assert_int_equal(schedgpu_admin_setup(n.dir, &s), SCHEDGPU_EVERSION);
  assert_int_equal(shmctl(old, IPC_STAT, &facts), 0);
  child_kill(&b);
  assert_int_equal(schedgpu_admin_setup(n.dir, &s), SCHEDGPU_OK);
  assert_int_equal(schedgpu_admin_open(n.dir, &n.admin), SCHEDGPU_OK);
  node_free(&n);
}

/** A broker client does not map the region. */
static void a_broker_client_uses_the_region_too(void **state) {
  (void)state;
  char path[100];
  struct node n = node_new(0, 0);
  struct schedgpu_setup s = as_node();
  schedgpu_admin_close(n.admin);
  make_old(&n);
  snprintf(path, sizeof path, "%s/served", n.dir);
  assert_int_equal(mkdir(path, 0700), 0);
  snprintf(path, sizeof path, "%s/served/64", n.dir);
  int fd = open(path, O_RDWR | O_CREAT, 0600);
  struct flock l = {.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = 64, .l_len = 1};
  assert_int_equal(fcntl(fd, F_OFD_SETLK, &l), 0);
  assert_int_equal(users_of(&n), 1);
  assert_int_equal(schedgpu_admin_setup(n.dir, &s), SCHEDGPU_EVERSION);
  close(fd);
  assert_int_equal(users_of(&n), 0);
  assert_int_equal(schedgpu_admin_setup(n.dir, &s), SCHEDGPU_OK);
  assert_int_equal(schedgpu_admin_open(n.dir, &n.admin), SCHEDGPU_OK);
  node_free(&n);
}

static void the_descriptor_of_a_removed_region_is_replaced(void **state) {
  (void)state;
  struct node n = node_new(0, 0);
  struct schedgpu_setup s = as_node();
  int32_t old = segment_of(&n);
  schedgpu_admin_close(n.admin);
  make_old(&n);
  assert_int_equal(shmctl(old, IPC_RMID, NULL), 0);
  assert_int_equal(users_of(&n), 0);
  assert_int_equal(schedgpu_admin_setup(n.dir, &s), SCHEDGPU_OK);
  assert_int_equal(schedgpu_admin_open(n.dir, &n.admin), SCHEDGPU_OK);
  node_free(&n);
}

/** The file names a segment of another user: that is not removed. */
static void a_segment_of_another_user_stays(void **state) {
  (void)state;
  struct shmid_ds facts;
  char path[100];
  struct node n = node_new(0, 0);
  struct schedgpu_setup s = as_node();
  schedgpu_admin_close(n.admin);
  int other = shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600);
  snprintf(path, sizeof path, "%s/region", n.dir);
  FILE *f = fopen(path, "w");
  fprintf(f, "schedgpu region %u\nshmid %d\nkey 0x00000001\n", OLD, other);
  fclose(f);
  assert_int_equal(schedgpu_admin_setup(n.dir, &s), SCHEDGPU_OK);
  assert_int_equal(shmctl(other, IPC_STAT, &facts), 0);
  shmctl(other, IPC_RMID, NULL);
  assert_int_equal(schedgpu_admin_open(n.dir, &n.admin), SCHEDGPU_OK);
  node_free(&n);
}

int main(void) {
  signal(SIGPIPE, SIG_IGN);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_unused_region_is_replaced),
      cmocka_unit_test(a_region_in_use_stays_until_its_last_process_is_gone),
      cmocka_unit_test(a_broker_client_uses_the_region_too),
      cmocka_unit_test(the_descriptor_of_a_removed_region_is_replaced),
      cmocka_unit_test(a_segment_of_another_user_stays),
  };
  return cmocka_run_group_tests_name("other layout", tests, NULL, NULL);
}

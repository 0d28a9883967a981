/*
 * SIGKILL at every store of creating, adopting and removing a region: the next one who sets the
 * node up puts it right, and a region in use keeps what is reserved.
 */
#include "../support/node.h"
#include "../support/crash.h"

#define ONDEMAND SCHEDGPU_MODE_ONDEMAND

/** After a death nobody but an ordinary neighbour comes along: it must get the whole device. */
static void neighbour_gets_everything(struct node *n) {
  node_job(n, 2, ONDEMAND, 0);
  pid_t pid = fork();
  if (pid == 0) {
    be_job(2);
    struct schedgpu_info info;
    uint64_t all = schedgpu_query(0, &info) == SCHEDGPU_OK ? info.total_bytes - info.context_bytes
                                                           : UINT64_MAX;
    _exit(schedgpu_reserve(0, all, INT64_C(20000000000)) == SCHEDGPU_OK ? 0 : 1);
  }
  int status;
  waitpid(pid, &status, 0);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 0);
  assert_int_equal(schedgpu_admin_reap(n->admin, NULL), SCHEDGPU_OK);
  node_check(n);
  assert_int_equal(node_used(n), 0);
}

static void hold_nine(int say_fd, int hear_fd) {
  if (schedgpu_reserve(0, 9 * GIB, 0) != SCHEDGPU_OK)
    _exit(3);
  say(say_fd, 'h');
  hear(hear_fd);
}

static struct schedgpu_setup one_device(void) {
  return fixture_setup(1, 10 * GIB, GIB / 8, SCHEDGPU_POLICY_FIFO);
}

static void create(void) {
  struct schedgpu_setup s = one_device();
  int rc = schedgpu_admin_setup(getenv("SCHEDGPU_RUN_DIR"), &s);
  if (rc == SCHEDGPU_OK)
    return;
  print_error("setup: %s\n", schedgpu_error_name(rc));
  node_remove_all();
  _exit(9);
}

/** Segments that these two processes made: the one that was killed, and this one. */
static int segments_of(pid_t one, pid_t two) {
  char line[512];
  int count = 0, pid;
  FILE *f = fopen("/proc/sysvipc/shm", "r");
  assert_non_null(f);
  while (fgets(line, sizeof line, f))
    count += sscanf(line, "%*s %*s %*s %*s %d", &pid) == 1 && (pid == one || pid == two);
  fclose(f);
  return count;
}

static pid_t killed_at(void (*script)(void), long k, bool *alive) {
  fflush(NULL);
  pid_t pid = fork();
  if (pid == 0) {
    crash_at_store(k, SIGKILL);
    script();
    _exit(0);
  }
  int status;
  waitpid(pid, &status, 0);
  *alive = !WIFSIGNALED(status);
  assert_true(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
  return pid;
}

/** The next one adopts what the dead creator left, or removes it; there is never a second region.
 */
static void case_16_killed_creating(void **state) {
  (void)state;
  long k = 1;
  for (bool alive = false; !alive; k++) {
    struct node n = {.dir = "/dev/shm/schedgpu-test.XXXXXX"};
    assert_non_null(mkdtemp(n.dir));
    node_remember(n.dir);
    setenv("SCHEDGPU_RUN_DIR", n.dir, 1);
    pid_t pid = killed_at(create, k, &alive);
    create();
    assert_int_equal(segments_of(pid, getpid()), 1);
    assert_int_equal(schedgpu_admin_open(n.dir, &n.admin), SCHEDGPU_OK);
    node_job(&n, 1, ONDEMAND, 0);
    neighbour_gets_everything(&n);
    node_free(&n);
    assert_int_equal(segments_of(pid, getpid()), 0);
  }
  printf("survived SIGKILL at each of %ld stores\n", k - 2);
  assert_true(k > 100);
}

static void delete_files(const struct node *n, bool descriptor, bool live) {
  char path[128];
  snprintf(path, sizeof path, "%s/region", n->dir);
  if (descriptor)
    unlink(path);
  snprintf(path, sizeof path, "%s/live", n->dir);
  if (live)
    unlink(path);
}

/** Adopting a region that is in use, with its liveness file gone: its reservation survives. */
static void case_16_killed_adopting(void **state) {
  (void)state;
  long k = 1;
  for (bool alive = false; !alive; k++) {
    struct node n = node_new(0, 0);
    node_job(&n, 9, ONDEMAND, 0);
    struct child holder = child_start(9, hold_nine);
    assert_int_equal(hear(holder.from), 'h');
    schedgpu_admin_close(n.admin);
    delete_files(&n, k % 3 != 1, k % 3 != 0);
    killed_at(create, k, &alive);
    create();
    assert_int_equal(schedgpu_admin_open(n.dir, &n.admin), SCHEDGPU_OK);
    assert_int_equal(schedgpu_admin_reap(n.admin, NULL), SCHEDGPU_OK);
    assert_int_equal(node_used(&n), 9 * GIB);
    child_kill(&holder);
    assert_int_equal(schedgpu_admin_reap(n.admin, NULL), SCHEDGPU_OK);
    assert_int_equal(node_used(&n), 0);
    node_free(&n);
  }
  printf("survived SIGKILL at each of %ld stores\n", k - 2);
}

static void remove_it(void) {
  if (schedgpu_admin_remove(getenv("SCHEDGPU_RUN_DIR"), 0) != SCHEDGPU_OK)
    _exit(9);
}

static void case_16_killed_removing(void **state) {
  (void)state;
  long k = 1;
  for (bool alive = false; !alive; k++) {
    struct node n = node_new(0, 0);
    schedgpu_admin_close(n.admin);
    killed_at(remove_it, k, &alive);
    create();
    node_remove(n.dir);
  }
  assert_true(k > 3);
}

int main(void) {
  alarm(300);
  signal(SIGPIPE, SIG_IGN);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(case_16_killed_creating),
      cmocka_unit_test(case_16_killed_adopting),
      cmocka_unit_test(case_16_killed_removing),
  };
  return cmocka_run_group_tests_name("creators killed at every store", tests, NULL, NULL);
}

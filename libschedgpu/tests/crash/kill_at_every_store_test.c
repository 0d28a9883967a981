/*
 * SIGKILL at every store of every transition that another process can see, each enumerated: the
 * child runs a script and dies at its k-th store, for k = 1, 2, ... until it gets through. After
 * every death the node must be right again by itself: whoever waits is served, nothing is lost,
 * nothing is invented.
 */
#include "../support/node.h"
#include "../../shell/shell.h"

#define PEAK SCHEDGPU_MODE_PEAK
#define ONDEMAND SCHEDGPU_MODE_ONDEMAND

static long stores_left = -1; /* dies when it reaches 0; negative: lives */

void sg_crash_point(void) {
  if (stores_left > 0 && --stores_left == 0)
    kill(getpid(), SIGKILL);
}

static void ondemand_life(void) {
  if (schedgpu_reserve(0, 3 * GIB, 0) != SCHEDGPU_OK ||
      schedgpu_context_enter(0, 0) != SCHEDGPU_OK || schedgpu_reserve(0, GIB, 0) != SCHEDGPU_OK ||
      schedgpu_release(0, GIB) != SCHEDGPU_OK || schedgpu_context_leave(0) != SCHEDGPU_OK ||
      schedgpu_release(0, 3 * GIB) != SCHEDGPU_OK || schedgpu_detach() != SCHEDGPU_OK)
    _exit(9);
}

static void peak_life(void) {
  if (schedgpu_context_enter(0, 0) != SCHEDGPU_OK || schedgpu_reserve(0, GIB, 0) != SCHEDGPU_OK ||
      schedgpu_reserve(0, GIB, 0) != SCHEDGPU_OK || schedgpu_release(0, 2 * GIB) != SCHEDGPU_OK ||
      schedgpu_reserve(0, GIB, 0) != SCHEDGPU_OK || schedgpu_detach() != SCHEDGPU_OK)
    _exit(9);
}

/** Queues behind what job 9 holds, gives up, and asks again without waiting. */
static void queueing_life(void) {
  if (schedgpu_reserve(0, 9 * GIB, 1000000) != SCHEDGPU_ETIMEDOUT ||
      schedgpu_reserve(0, 9 * GIB, 0) != SCHEDGPU_EWOULDBLOCK || schedgpu_detach() != SCHEDGPU_OK)
    _exit(9);
}

static void administration(void) {
  schedgpu_admin *a;
  struct schedgpu_job_spec s = job_spec(3, PEAK, 2 * GIB, 50);
  if (schedgpu_admin_open(getenv("SCHEDGPU_RUN_DIR"), &a) != SCHEDGPU_OK ||
      schedgpu_admin_job_begin(a, &s) != SCHEDGPU_OK ||
      schedgpu_admin_set_policy(a, SCHEDGPU_POLICY_MMU) != SCHEDGPU_OK)
    _exit(9);
  s.priority = 90;
  if (schedgpu_admin_job_begin(a, &s) != SCHEDGPU_OK ||
      schedgpu_admin_job_end(a, SCHEDGPU_JOB_SLURM, 3) != SCHEDGPU_OK ||
      schedgpu_admin_job_end(a, SCHEDGPU_JOB_SLURM, 1) != SCHEDGPU_OK ||
      schedgpu_admin_reap(a, NULL) != SCHEDGPU_OK)
    _exit(9);
  schedgpu_admin_close(a);
}

/** Runs `script` as job 1 and dies at store `k`; true if it got through alive. */
static bool run_until(void (*script)(void), long k) {
  fflush(NULL);
  pid_t pid = fork();
  if (pid == 0) {
    be_job(1);
    stores_left = k;
    script();
    _exit(0);
  }
  int status;
  waitpid(pid, &status, 0);
  if (WIFSIGNALED(status))
    return false;
  assert_int_equal(WEXITSTATUS(status), 0);
  return true;
}

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

static void at_every_store(uint32_t mode, void (*script)(void)) {
  long k = 1;
  for (bool alive = false; !alive; k++) {
    struct node n = node_new(GIB / 8, 0);
    node_job(&n, 1, mode, mode == PEAK ? 4 * GIB : 0);
    alive = run_until(script, k);
    neighbour_gets_everything(&n);
    node_free(&n);
  }
  printf("survived SIGKILL at each of %ld stores\n", k - 2);
  assert_true(k > 10);
}

static void ondemand(void **state) {
  (void)state, at_every_store(ONDEMAND, ondemand_life);
}
static void peak(void **state) {
  (void)state, at_every_store(PEAK, peak_life);
}

static void hold_nine(int say_fd, int hear_fd) {
  if (schedgpu_reserve(0, 9 * GIB, 0) != SCHEDGPU_OK)
    _exit(3);
  say(say_fd, 'h');
  hear(hear_fd);
}

static void queueing(void **state) {
  (void)state;
  long k = 1;
  for (bool alive = false; !alive; k++) {
    struct node n = node_new(0, 0);
    node_job(&n, 1, ONDEMAND, 0);
    node_job(&n, 9, ONDEMAND, 0);
    struct child holder = child_start(9, hold_nine);
    assert_int_equal(hear(holder.from), 'h');
    alive = run_until(queueing_life, k);
    child_kill(&holder);
    neighbour_gets_everything(&n);
    node_free(&n);
  }
  printf("survived SIGKILL at each of %ld stores\n", k - 2);
}

static void wait_for_five(int say_fd, int hear_fd) {
  say(say_fd, schedgpu_reserve(0, 5 * GIB, SCHEDGPU_FOREVER) == SCHEDGPU_OK ? 'g' : 'x');
  hear(hear_fd);
}

static void hold_six_and_end_at(int say_fd, int hear_fd) {
  if (schedgpu_reserve(0, 6 * GIB, 0) != SCHEDGPU_OK)
    _exit(3);
  say(say_fd, 'h');
  stores_left = hear(hear_fd);
  schedgpu_release(0, 6 * GIB); /* grants to who waits, and dies in between */
  schedgpu_detach();
  stores_left = -1;
  say(say_fd, 'e');
}

/** The one who hands over dies at every store of it: the waiter is served all the same. */
static void handing_over(void **state) {
  (void)state;
  bool through = false;
  for (char k = 1; !through; k++) {
    assert_true(k < 127);
    struct node n = node_new(0, 0);
    node_job(&n, 1, ONDEMAND, 0);
    node_job(&n, 2, ONDEMAND, 0);
    struct child giver = child_start(1, hold_six_and_end_at);
    assert_int_equal(hear(giver.from), 'h');
    struct child waiter = child_start(2, wait_for_five);
    await_waiting(&n, 1);
    say(giver.to, k);
    through = hear(giver.from) == 'e';
    child_kill(&giver);
    assert_int_equal(hear(waiter.from), 'g');
    node_check(&n);
    assert_int_equal(node_used(&n), 5 * GIB);
    child_kill(&waiter);
    neighbour_gets_everything(&n);
    node_free(&n);
  }
}

static void the_root_side(void **state) {
  (void)state, at_every_store(PEAK, administration);
}

/** Takes over from a dead lock holder and dies at every store of the repair. */
static void repairing(void **state) {
  (void)state;
  long k = 1;
  for (bool alive = false; !alive; k++) {
    struct node n = node_new(GIB / 8, 0);
    node_job(&n, 1, PEAK, 4 * GIB);
    fflush(NULL);
    assert_false(run_until(administration, 15)); /* leaves the lock held and a job half begun */
    alive = run_until(administration, k);
    neighbour_gets_everything(&n);
    node_free(&n);
  }
  printf("survived SIGKILL at each of %ld stores\n", k - 2);
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
    stores_left = k;
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
static void creating(void **state) {
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
static void adopting(void **state) {
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

static void removing(void **state) {
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

/** `kill_at_every_store_test NAME` runs one test. */
int main(int argc, char **argv) {
  alarm(300);
  if (argc > 1)
    cmocka_set_test_filter(argv[1]);
  signal(SIGPIPE, SIG_IGN);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ondemand),     cmocka_unit_test(peak),          cmocka_unit_test(queueing),
      cmocka_unit_test(handing_over), cmocka_unit_test(the_root_side), cmocka_unit_test(creating),
      cmocka_unit_test(adopting),     cmocka_unit_test(removing),      cmocka_unit_test(repairing),
  };
  return cmocka_run_group_tests_name("killed at every store", tests, NULL, NULL);
}

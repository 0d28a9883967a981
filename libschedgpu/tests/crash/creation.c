/*
 * creation.c - kills processes that create, adopt or remove a region: there is never a second
 * region.
 */
#include "crash_testing.h"

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

struct segments {
  int count;
  struct {
    int id;
    pid_t maker;
  } all[4096]; /* SHMMNI */
};

static void list_segments(struct segments *now) {
  char line[512];
  FILE *f = fopen("/proc/sysvipc/shm", "r");
  assert_non_null(f);
  now->count = 0;
  while (now->count < 4096 && fgets(line, sizeof line, f))
    now->count += sscanf(line, "%*s %d %*s %*s %d", &now->all[now->count].id,
                         &now->all[now->count].maker) == 2;
  fclose(f);
}

static bool has(const struct segments *some, int id) {
  for (int i = 0; i < some->count; i++)
    if (some->all[i].id == id)
      return true;
  return false;
}

/** Counts segments that these two processes created: the killed one and this one. Segments from
 * before belong to other processes, whose pids may have been reused. */
static int segments_of(pid_t one, pid_t two, const struct segments *before) {
  static struct segments now;
  int count = 0;
  list_segments(&now);
  for (int i = 0; i < now.count; i++) {
    pid_t maker = now.all[i].maker;
    count += (maker == one || maker == two) && !has(before, now.all[i].id);
  }
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
static void
case_16_a_creator_is_killed_and_the_next_one_adopts_or_removes_its_region(void **state) {
  (void)state;
  long k = 1;
  for (bool alive = false; !alive; k++) {
    struct node n = {.dir = "/dev/shm/schedgpu-test.XXXXXX"};
    assert_non_null(mkdtemp(n.dir));
    node_remember(n.dir);
    setenv("SCHEDGPU_RUN_DIR", n.dir, 1);
    static struct segments before;
    list_segments(&before);
    pid_t pid = killed_at(create, k, &alive);
    create();
    assert_int_equal(segments_of(pid, getpid(), &before), 1);
    assert_int_equal(schedgpu_admin_open(n.dir, &n.admin), SCHEDGPU_OK);
    node_job(&n, 1, ONDEMAND, 0);
    neighbour_gets_everything(&n);
    node_free(&n);
    assert_int_equal(segments_of(pid, getpid(), &before), 0);
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
static void case_16_killed_while_adopting_a_region_its_reservations_survive(void **state) {
  (void)state;
  long k = 1;
  for (bool alive = false; !alive; k++) {
    struct node n = node_new(0, 0);
    node_job(&n, 9, ONDEMAND, 0);
    struct child holder = child_start(9, hold_nine);
    assert_int_equal(receive_byte(holder.from), 'h');
    schedgpu_admin_close(n.admin);
    delete_files(&n, k % 3 != 1, k % 3 != 0);
    killed_at(create, k, &alive);
    create();
    assert_int_equal(schedgpu_admin_open(n.dir, &n.admin), SCHEDGPU_OK);
    assert_int_equal(schedgpu_admin_reap(n.admin, NULL), SCHEDGPU_OK);
    assert_int_equal(region_used(&n), 9 * GIB);
    child_kill(&holder);
    assert_int_equal(schedgpu_admin_reap(n.admin, NULL), SCHEDGPU_OK);
    assert_int_equal(region_used(&n), 0);
    node_free(&n);
  }
  printf("survived SIGKILL at each of %ld stores\n", k - 2);
}

static void remove_it(void) {
  if (schedgpu_admin_remove(getenv("SCHEDGPU_RUN_DIR"), 0) != SCHEDGPU_OK)
    _exit(9);
}

static void case_16_killed_while_removing_a_region_the_next_setup_works(void **state) {
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

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(case_16_a_creator_is_killed_and_the_next_one_adopts_or_removes_its_region),
    cmocka_unit_test(case_16_killed_while_adopting_a_region_its_reservations_survive),
    cmocka_unit_test(case_16_killed_while_removing_a_region_the_next_setup_works),
};
RUN_AT_ONCE(tests)

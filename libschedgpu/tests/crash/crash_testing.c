/* crash_testing.c - see crash_testing.h. */
#include "crash_testing.h"

struct crash_tests crash_tests;

void crash_tests_add(const struct CMUnitTest *tests, size_t count) {
  for (size_t i = 0; i < count; i++) {
    assert_true(crash_tests.count < sizeof crash_tests.test / sizeof *crash_tests.test);
    crash_tests.test[crash_tests.count++] = &tests[i];
  }
}

bool run_until(void (*script)(void), long k) {
  fflush(NULL);
  pid_t pid = fork();
  if (pid == 0) {
    be_job(1);
    crash_at_store(k, SIGKILL);
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

void neighbour_gets_everything(struct node *n) {
  node_job(n, 2, ONDEMAND, 0);
  pid_t pid = fork();
  if (pid == 0) {
    be_job(2);
    struct schedgpu_info info;
    uint64_t all = schedgpu_query(0, &info) == SCHEDGPU_OK ? info.total_bytes - info.context_bytes
                                                           : UINT64_MAX;
    _exit(schedgpu_reserve(0, all, LONG_WAIT_NS) == SCHEDGPU_OK ? 0 : 1);
  }
  int status;
  waitpid(pid, &status, 0);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 0);
  assert_int_equal(schedgpu_admin_reap(n->admin, NULL), SCHEDGPU_OK);
  node_check(n);
  assert_int_equal(region_used(n), 0);
}

uint64_t region_used(struct node *n) {
  return *(const volatile uint64_t *)&n->admin->h.r->device[0].used_bytes;
}

void await_waiters(struct node *n, uint32_t count) {
  const struct sg_region *r = n->admin->h.r;
  for (;;) {
    uint32_t waiting = 0;
    for (uint32_t i = 0; i < SG_SLOTS; i++)
      waiting += atomic_load(&r->waiter[i].state) == SG_WAITING;
    if (waiting == count)
      break;
    nap_ms(2);
  }
}

void at_every_store(uint32_t mode, void (*script)(void)) {
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

void hold_nine(int write_fd, int read_fd) {
  if (schedgpu_reserve(0, 9 * GIB, 0) != SCHEDGPU_OK)
    _exit(3);
  send_byte(write_fd, 'h');
  receive_byte(read_fd);
}

void wait_for_five(int write_fd, int read_fd) {
  send_byte(write_fd, schedgpu_reserve(0, 5 * GIB, SCHEDGPU_FOREVER) == SCHEDGPU_OK ? 'g' : 'x');
  receive_byte(read_fd);
}

void wait_for_three(int write_fd, int read_fd) {
  send_byte(write_fd, schedgpu_reserve(0, 3 * GIB, SCHEDGPU_FOREVER) == SCHEDGPU_OK ? 'g' : 'x');
  receive_byte(read_fd);
}

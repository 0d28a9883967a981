/* Several processes on one region. Dying, forking, stopping, taking over: tests/robustness. */
#include "../support/node.h"
#include "../support/stopped.h"
#include "schedgpu/paper.h"
#include "../../shell/shell.h"
#include <pthread.h>

#define PEAK SCHEDGPU_MODE_PEAK
#define ONDEMAND SCHEDGPU_MODE_ONDEMAND

/** Reserves 6 GiB, sends 'h', frees on 'f', then lives until the pipe closes. */
static void holder(int write_fd, int read_fd) {
  if (schedgpu_reserve(0, 6 * GIB, SCHEDGPU_FOREVER) != SCHEDGPU_OK)
    _exit(3);
  send_byte(write_fd, 'h');
  if (receive_byte(read_fd) != 'f')
    return;
  if (schedgpu_release(0, 6 * GIB) != SCHEDGPU_OK)
    _exit(4);
  send_byte(write_fd, 'r');
  receive_byte(read_fd);
}

static void times_out(int write_fd, int read_fd) {
  (void)read_fd;
  int rc = schedgpu_reserve(0, 6 * GIB, 30000000);
  send_byte(write_fd, rc == SCHEDGPU_ETIMEDOUT ? 't' : 'x');
  rc = schedgpu_reserve(0, 6 * GIB, SCHEDGPU_NO_WAIT);
  send_byte(write_fd, rc == SCHEDGPU_EWOULDBLOCK ? 'b' : 'x');
}

static void a_waiter_is_served(uint32_t mode) {
  struct node n = node_new(0, 0);
  node_job(&n, 1, mode, 6 * GIB);
  node_job(&n, 2, mode, 6 * GIB);
  struct child a = child_start(1, holder);
  assert_int_equal(receive_byte(a.from), 'h');
  struct child b = child_start(2, holder);
  await_waiting(&n, 1);
  send_byte(a.to, 'f');
  assert_int_equal(receive_byte(a.from), 'r');
  assert_int_equal(receive_byte(b.from), 'h');
  assert_int_equal(node_used(&n), 6 * GIB);
  child_kill(&b);
  child_kill(&a);
  node_free(&n);
}

static void a_release_serves_the_waiter_peak(void **s) {
  (void)s, a_waiter_is_served(PEAK);
}
static void a_release_serves_the_waiter(void **s) {
  (void)s, a_waiter_is_served(ONDEMAND);
}
static void gives_back_a_part(int write_fd, int read_fd) {
  if (schedgpu_reserve(0, 6 * GIB, SCHEDGPU_FOREVER) != SCHEDGPU_OK)
    _exit(3);
  send_byte(write_fd, 'h');
  receive_byte(read_fd);
  if (schedgpu_release(0, GIB) != SCHEDGPU_OK)
    _exit(4);
  receive_byte(read_fd);
}

static void asks_for_five(int write_fd, int read_fd) {
  int rc = schedgpu_reserve(0, 5 * GIB, SCHEDGPU_FOREVER);
  send_byte(write_fd, rc == SCHEDGPU_OK ? 'g' : 'x');
  receive_byte(read_fd);
}

/** In a job with a growable budget: its sibling still has a part of the budget. */
static void a_release_inside_the_budget_serves_a_sibling(void **s) {
  (void)s;
  struct node n = node_new(0, 0);
  struct schedgpu_job_spec spec = job_spec(1, PEAK, 10 * GIB, 50);
  spec.uid = (uint32_t)getuid();
  spec.flags = SCHEDGPU_JOB_FLAG_OVERFLOW_WAITS;
  assert_int_equal(schedgpu_admin_job_begin(n.admin, &spec), SCHEDGPU_OK);
  struct child a = child_start(1, gives_back_a_part);
  assert_int_equal(receive_byte(a.from), 'h');
  struct child b = child_start(1, asks_for_five);
  await_waiting(&n, 1);
  send_byte(a.to, 'f');
  assert_int_equal(receive_byte(b.from), 'g');
  assert_int_equal(node_used(&n), 10 * GIB);
  node_check(&n);
  child_kill(&b);
  child_kill(&a);
  node_free(&n);
}

static void waiting_ends_in_time(void **state) {
  (void)state;
  struct node n = node_new(0, 0);
  node_job(&n, 1, ONDEMAND, 0);
  node_job(&n, 2, ONDEMAND, 0);
  struct child a = child_start(1, holder);
  assert_int_equal(receive_byte(a.from), 'h');
  struct child b = child_start(2, times_out);
  assert_int_equal(receive_byte(b.from), 't');
  assert_int_equal(receive_byte(b.from), 'b');
  assert_int_equal(child_wait(&b), 0);
  child_kill(&a);
  node_free(&n);
}

static void the_end_of_a_job_wakes_its_waiters(void **state) {
  (void)state;
  struct node n = node_new(0, 0);
  node_job(&n, 1, PEAK, 6 * GIB);
  node_job(&n, 2, PEAK, 6 * GIB);
  struct child a = child_start(1, holder);
  assert_int_equal(receive_byte(a.from), 'h');
  struct child b = child_start(2, holder);
  await_waiting(&n, 1);
  assert_int_equal(schedgpu_admin_job_end(n.admin, SCHEDGPU_JOB_SLURM, 2), SCHEDGPU_OK);
  assert_int_equal(child_wait(&b), 3);
  assert_int_equal(schedgpu_admin_job_end(n.admin, SCHEDGPU_JOB_SLURM, 1), SCHEDGPU_OK);
  assert_int_equal(node_used(&n), 0); /* also of a process that still lives */
  assert_int_equal(schedgpu_admin_job_end(n.admin, SCHEDGPU_JOB_SLURM, 1), SCHEDGPU_ENOJOB);
  child_kill(&a);
  node_free(&n);
}

static void as_the_paper_has_it(int write_fd, int read_fd) {
  (void)read_fd;
  schedgpu_set_wait_observer(NULL, NULL);
  bool ok = schedGPUInit() == 0 && preCudaMalloc(0, GIB, 0) == 0 &&
            preCudaMalloc(0, 20 * GIB, 0) == 2 && preCudaMalloc(7, GIB, 0) == 101 &&
            postCudaFree(0, GIB) == 0 && postCudaFree(0, GIB) == 1;
  send_byte(write_fd, ok ? 'y' : 'n');
}

static void *enter(void *argument) {
  (void)argument;
  return schedgpu_context_enter(0, SCHEDGPU_FOREVER) == SCHEDGPU_OK ? NULL : (void *)1;
}

static void threads_enter_at_once(int write_fd, int read_fd) {
  pthread_t thread[16];
  for (int i = 0; i < 16; i++)
    if (pthread_create(&thread[i], NULL, enter, NULL) != 0)
      _exit(5);
  for (int i = 0; i < 16; i++)
    pthread_join(thread[i], NULL);
  send_byte(write_fd, 'e');
  receive_byte(read_fd);
}

static void a_process_is_charged_for_one_context(void **state) {
  (void)state;
  struct node n = node_new(GIB, 0);
  node_job(&n, 1, ONDEMAND, 0);
  for (int round = 0; round < 20; round++) {
    struct child a = child_start(1, threads_enter_at_once);
    assert_int_equal(receive_byte(a.from), 'e');
    assert_int_equal(node_used(&n), GIB);
    child_kill(&a);
    assert_int_equal(schedgpu_admin_reap(n.admin, NULL), SCHEDGPU_OK);
  }
  node_free(&n);
}

static void has_a_context(int write_fd, int read_fd) {
  send_byte(write_fd, schedgpu_context_enter(0, SCHEDGPU_NO_WAIT) == SCHEDGPU_OK ? 'c' : 'x');
  receive_byte(read_fd);
}

static void says_who_holds(const struct schedgpu_wait_notice *notice, void *write_fd) {
  if (notice->ended)
    return;
  send_byte(*(int *)write_fd, (char)('0' + notice->holders));
  send_byte(*(int *)write_fd, (char)('0' + notice->holder_job_id));
}

static void waits_and_reports(int write_fd, int read_fd) {
  schedgpu_set_wait_observer(says_who_holds, &write_fd);
  times_out(write_fd, read_fd);
}

static void a_waiter_learns_which_jobs_hold_memory_or_a_context(void **state) {
  (void)state;
  struct node n = node_new(GIB, 0);
  for (uint32_t job = 1; job <= 3; job++)
    node_job(&n, job, ONDEMAND, 0);
  struct child context = child_start(1, has_a_context);
  assert_int_equal(receive_byte(context.from), 'c');
  struct child memory = child_start(2, holder);
  assert_int_equal(receive_byte(memory.from), 'h');
  struct child waiter = child_start(3, waits_and_reports);
  assert_int_equal(receive_byte(waiter.from), '2');
  assert_int_equal(receive_byte(waiter.from), '2'); /* job 2 holds most */
  assert_int_equal(receive_byte(waiter.from), 't');
  child_kill(&waiter);
  child_kill(&memory);
  child_kill(&context);
  node_free(&n);
}

static void notices_into_a_broken_pipe(int write_fd, int read_fd) {
  (void)read_fd;
  int broken[2];
  struct schedgpu_wait_notice notice = {.request_bytes = GIB};
  signal(SIGPIPE, SIG_DFL);
  if (pipe(broken) != 0 || close(broken[0]) != 0 || dup2(broken[1], 2) != 2)
    _exit(5);
  schedgpu_print_wait(&notice, NULL);
  send_byte(write_fd, 'a');
}

static void a_broken_stderr_does_not_kill_the_host(void **state) {
  (void)state;
  struct node n = node_new(0, 0);
  struct child a = child_start(1, notices_into_a_broken_pipe);
  assert_int_equal(receive_byte(a.from), 'a');
  assert_int_equal(child_wait(&a), 0);
  node_free(&n);
}

static void the_papers_calls_work(void **state) {
  (void)state;
  struct node n = node_new(0, 0);
  node_job(&n, 1, ONDEMAND, 0);
  struct child a = child_start(1, as_the_paper_has_it);
  assert_int_equal(receive_byte(a.from), 'y');
  assert_int_equal(child_wait(&a), 0);
  node_free(&n);
}

static void asks_for_a_budget(int write_fd, int read_fd) {
  struct schedgpu_info info;
  bool ok = schedgpu_reserve(0, GIB, 0) == SCHEDGPU_OK && schedgpu_query(0, &info) == SCHEDGPU_OK &&
            info.budget_bytes == 6 * GIB && info.job_used_bytes == GIB &&
            info.own_used_bytes == GIB && info.job_id == 1 && info.total_bytes == 10 * GIB &&
            schedgpu_device_of_uuid("GPU-test-0") == 0 &&
            schedgpu_device_of_uuid("GPU-test-9") == SCHEDGPU_EDEVICE &&
            schedgpu_context_enter(0, 0) == SCHEDGPU_OK &&
            schedgpu_context_enter(0, 0) == SCHEDGPU_OK;
  send_byte(write_fd, ok ? 'y' : 'n');
  receive_byte(read_fd);
  ok = schedgpu_context_leave(0) == SCHEDGPU_OK && schedgpu_context_leave(0) == SCHEDGPU_OK &&
       schedgpu_context_leave(0) == SCHEDGPU_EUNDERFLOW && schedgpu_detach() == SCHEDGPU_OK;
  send_byte(write_fd, ok ? 'y' : 'n');
}

static void a_process_sees_its_budget_and_its_contexts_count_once(void **state) {
  (void)state;
  struct node n = node_new(GIB / 4, 0);
  node_job(&n, 1, PEAK, 6 * GIB);
  struct child a = child_start(1, asks_for_a_budget);
  assert_int_equal(receive_byte(a.from), 'y');
  assert_int_equal(node_used(&n), 6 * GIB + GIB / 4);
  send_byte(a.to, 'g');
  assert_int_equal(receive_byte(a.from), 'y');
  assert_int_equal(child_wait(&a), 0);
  node_job(&n, 2, ONDEMAND, 0);
  node_free(&n);
}

static void attaching_names_the_missing_part(void **state) {
  (void)state;
  struct node n = node_new(0, 0);
  node_job(&n, 1, ONDEMAND, 0);
  unsetenv("SCHEDGPU_JOB");
  assert_int_equal(schedgpu_attach(), SCHEDGPU_ENOJOB);
  be_job(99);
  assert_int_equal(schedgpu_attach(), SCHEDGPU_ENOJOB);
  setenv("SCHEDGPU_JOB", "job 1", 1);
  assert_int_equal(schedgpu_attach(), SCHEDGPU_EINVAL);
  be_job(1);
  setenv("SCHEDGPU_RUN_DIR", "/nonexistent", 1);
  assert_int_equal(schedgpu_attach(), SCHEDGPU_ENOREGION);
  setenv("SCHEDGPU_RUN_DIR", n.dir, 1);
  char path[100], aside[110];
  snprintf(path, sizeof path, "%s/region", n.dir);
  snprintf(aside, sizeof aside, "%s/aside", n.dir);
  assert_int_equal(rename(path, aside), 0);
  FILE *other = fopen(path, "w");
  fputs("schedgpu region 77\n", other);
  fclose(other);
  assert_int_equal(schedgpu_attach(), SCHEDGPU_EVERSION);
  assert_int_equal(rename(aside, path), 0);
  assert_int_equal(schedgpu_attach(), SCHEDGPU_OK);
  assert_int_equal(schedgpu_detach(), SCHEDGPU_OK);
  node_free(&n);
}

static void begins_an_owned_job(int write_fd, int read_fd) {
  schedgpu_admin *admin;
  struct schedgpu_job_spec s = job_spec(5, ONDEMAND, 0, 50);
  s.kind = SCHEDGPU_JOB_RUN;
  s.flags = SCHEDGPU_JOB_FLAG_OWNED;
  if (schedgpu_admin_open(getenv("SCHEDGPU_RUN_DIR"), &admin) != SCHEDGPU_OK ||
      schedgpu_admin_job_begin(admin, &s) != SCHEDGPU_OK)
    _exit(3);
  send_byte(write_fd, 'b');
  receive_byte(read_fd);
}

static void an_owned_job_ends_with_its_owner(void **state) {
  (void)state;
  struct node n = node_new(0, 0);
  struct child a = child_start(1, begins_an_owned_job);
  assert_int_equal(receive_byte(a.from), 'b');
  assert_int_equal(schedgpu_admin_job_find(n.admin, SCHEDGPU_JOB_RUN, 5, NULL), SCHEDGPU_OK);
  child_kill(&a);
  struct schedgpu_reaped reaped;
  assert_int_equal(schedgpu_admin_reap(n.admin, &reaped), SCHEDGPU_OK);
  assert_int_equal(reaped.jobs, 1);
  assert_int_equal(schedgpu_admin_job_find(n.admin, SCHEDGPU_JOB_RUN, 5, NULL), SCHEDGPU_ENOJOB);
  node_free(&n);
}

/** True if a read without the lock shows the node's only job as dead. */
static bool is_shown_dead(struct node *n) {
  struct sg_region *snapshot = malloc(schedgpu_snapshot_size());
  assert_non_null(snapshot);
  assert_int_equal(schedgpu_admin_snapshot(n->admin, snapshot, schedgpu_snapshot_size()),
                   SCHEDGPU_OK);
  assert_int_equal(snapshot->job[0].state, SG_ACTIVE);
  bool dead = snapshot->job[0].flags & SCHEDGPU_JOB_FLAG_DEAD;
  free(snapshot);
  return dead;
}

static void a_process_of_the_owned_job(int write_fd, int read_fd) {
  setenv("SCHEDGPU_JOB", "run:5", 1);
  send_byte(write_fd, schedgpu_attach() == SCHEDGPU_OK ? 'a' : 'x');
  receive_byte(read_fd);
}

static void an_owned_job_looks_dead_when_its_owner_and_its_processes_are(void **state) {
  (void)state;
  struct node n = node_new(0, 0);
  struct child a = child_start(1, begins_an_owned_job);
  assert_int_equal(receive_byte(a.from), 'b');
  assert_false(is_shown_dead(&n));
  struct child b = child_start(5, a_process_of_the_owned_job);
  assert_int_equal(receive_byte(b.from), 'a');
  child_kill(&a);
  assert_false(is_shown_dead(&n));
  child_kill(&b);
  assert_true(is_shown_dead(&n));
  struct schedgpu_reaped reaped;
  assert_int_equal(schedgpu_admin_reap(n.admin, &reaped), SCHEDGPU_OK);
  assert_int_equal(reaped.jobs, 1);
  node_free(&n);
}

static void *create(void *dir) {
  struct schedgpu_setup s = fixture_setup(1, 10 * GIB, 0, SCHEDGPU_POLICY_FIFO);
  return schedgpu_admin_setup(dir, &s) == SCHEDGPU_OK ? NULL : (void *)1;
}

static void eight_creators_make_one_region(void **state) {
  (void)state;
  char dir[] = "/dev/shm/schedgpu-test.XXXXXX";
  assert_non_null(mkdtemp(dir));
  node_remember(dir);
  pthread_t thread[8];
  void *failed;
  for (int i = 0; i < 8; i++)
    assert_int_equal(pthread_create(&thread[i], NULL, create, dir), 0);
  for (int i = 0; i < 8; i++) {
    pthread_join(thread[i], &failed);
    assert_null(failed);
  }
  node_remove(dir);
}

static void begin_on(struct node *n, uint64_t id, uint32_t mode, uint32_t device_mask,
                     uint64_t budget_bytes) {
  struct schedgpu_job_spec s = job_spec(id, mode, 0, 50);
  s.uid = (uint32_t)getuid();
  s.device_mask = device_mask;
  s.budget_bytes[1] = budget_bytes;
  assert_int_equal(schedgpu_admin_job_begin(n->admin, &s), SCHEDGPU_OK);
}

static void holds_and_gives_back(int write_fd, int read_fd) {
  if (schedgpu_context_enter(0, 0) != SCHEDGPU_OK || schedgpu_reserve(0, GIB, 0) != SCHEDGPU_OK)
    _exit(3);
  send_byte(write_fd, 'h');
  receive_byte(read_fd);
  if (schedgpu_release(0, GIB) != SCHEDGPU_OK)
    _exit(4);
  send_byte(write_fd, 'r');
  receive_byte(read_fd);
}

static void waits_to_be_admitted(int write_fd, int read_fd) {
  send_byte(write_fd, schedgpu_reserve(0, GIB, SCHEDGPU_FOREVER) == SCHEDGPU_OK ? 'h' : 'n');
  receive_byte(read_fd);
}

/** A process waits: its context does not fit on a device of which it needs no memory. It is
 * stopped, so that it cannot find an idle budget there itself. */
static void a_release_serves_an_admission_on_its_device(void **state) {
  (void)state;
  struct schedgpu_setup setup = fixture_setup(2, 10 * GIB, GIB, SCHEDGPU_POLICY_FIFO);
  struct node n = node_of(&setup);
  begin_on(&n, 1, SCHEDGPU_MODE_PEAK, 2, 4 * GIB);
  begin_on(&n, 2, SCHEDGPU_MODE_PEAK, 2, 4 * GIB);
  begin_on(&n, 3, SCHEDGPU_MODE_ONDEMAND, 3, 0);
  struct child a = child_start(1, holds_and_gives_back), b = child_start(2, holds_and_gives_back);
  assert_int_equal(receive_byte(a.from), 'h');
  assert_int_equal(receive_byte(b.from), 'h');
  struct child c = child_start(3, waits_to_be_admitted);
  await_waiting(&n, 1);
  assert_int_equal(schedgpu_admin_reap(n.admin, NULL), SCHEDGPU_OK); /* it has left the lock */
  stop_process(c.pid);
  send_byte(a.to, 'g');
  assert_int_equal(receive_byte(a.from), 'r');
  assert_int_equal(node_used(&n), 2 * GIB); /* context and memory */
  kill(c.pid, SIGCONT);
  assert_int_equal(receive_byte(c.from), 'h');
  child_kill(&a);
  child_kill(&b);
  child_kill(&c);
  assert_int_equal(schedgpu_admin_reap(n.admin, NULL), SCHEDGPU_OK);
  node_free(&n);
}

int main(void) {
  alarm(600); /* a hang must end as a failure, not as a hang */
  signal(SIGPIPE, SIG_IGN);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_release_serves_the_waiter_peak),
      cmocka_unit_test(a_release_serves_the_waiter),
      cmocka_unit_test(a_release_inside_the_budget_serves_a_sibling),
      cmocka_unit_test(waiting_ends_in_time),
      cmocka_unit_test(the_end_of_a_job_wakes_its_waiters),
      cmocka_unit_test(a_process_is_charged_for_one_context),
      cmocka_unit_test(a_broken_stderr_does_not_kill_the_host),
      cmocka_unit_test(the_papers_calls_work),
      cmocka_unit_test(a_process_sees_its_budget_and_its_contexts_count_once),
      cmocka_unit_test(attaching_names_the_missing_part),
      cmocka_unit_test(an_owned_job_ends_with_its_owner),
      cmocka_unit_test(an_owned_job_looks_dead_when_its_owner_and_its_processes_are),
      cmocka_unit_test(eight_creators_make_one_region),
      cmocka_unit_test(a_release_serves_an_admission_on_its_device),
      cmocka_unit_test(a_waiter_learns_which_jobs_hold_memory_or_a_context),
  };
  return cmocka_run_group_tests_name("processes", tests, NULL, NULL);
}

/*
 * What programs do around the library: detach or cancel threads, observe; and what administrators
 * do: remove the region, stop the owner of the lock.
 */
#include "../support/node.h"
#include "../../shell/admin/admin_handle.h"
#include "../../shell/region/attach.h"
#include <pthread.h>
#include <stdarg.h>
#include <sys/syscall.h>

#define PEAK SCHEDGPU_MODE_PEAK
#define ONDEMAND SCHEDGPU_MODE_ONDEMAND
#define MS INT64_C(1000000)

/** Replaces the system's function, so that a test can make it fail. */
static atomic_int lock_error;

int fcntl(int fd, int command, ...) {
  va_list list;
  va_start(list, command);
  void *argument = va_arg(list, void *);
  va_end(list);
  if (command == F_OFD_SETLK && atomic_load(&lock_error) != 0) {
    errno = atomic_load(&lock_error);
    return -1;
  }
  return (int)syscall(SYS_fcntl, fd, command, argument);
}

static void holds(int write_fd, int read_fd) {
  if (schedgpu_reserve(0, 6 * GIB, SCHEDGPU_FOREVER) != SCHEDGPU_OK)
    _exit(3);
  send_byte(write_fd, 'h');
  receive_byte(read_fd);
}

/** Makes this process hold the lock, alive. */
static struct sg_handle sit_on_the_lock(const struct node *n) {
  struct sg_handle h;
  assert_int_equal(sg_open(&h, n->dir), SCHEDGPU_OK);
  assert_int_equal(sg_attach_slot(&h, SG_FIRST_ADMIN, SG_SLOTS, NULL, SCHEDGPU_FOREVER, NULL),
                   SCHEDGPU_OK);
  assert_int_equal(sg_lock(&h, SCHEDGPU_FOREVER), SCHEDGPU_OK);
  return h;
}

static void stand_up(struct sg_handle *h) {
  struct sg_wakes wakes = {0};
  sg_client_remove(h->r, h->slot, sg_now_ns(), &wakes);
  sg_unlock_and_wake(h, &wakes);
  sg_close(h);
}

static void *reserve_long(void *rc) {
  *(int *)rc = schedgpu_reserve(0, 6 * GIB, SCHEDGPU_FOREVER);
  return NULL;
}

static void detaches_under_a_waiter(int write_fd, int read_fd) {
  pthread_t thread;
  int rc = 1;
  if (pthread_create(&thread, NULL, reserve_long, &rc) != 0)
    _exit(5);
  receive_byte(read_fd);
  if (schedgpu_detach() != SCHEDGPU_OK)
    _exit(6);
  pthread_join(thread, NULL);
  send_byte(write_fd, rc == SCHEDGPU_ENOJOB ? 'j' : 'x');
  send_byte(write_fd, schedgpu_reserve(0, GIB, 0) == SCHEDGPU_OK ? 'r' : 'x');
}

static void a_detach_ends_the_waits_of_other_threads(void **state) {
  (void)state;
  struct node n = node_new(0, 0);
  node_job(&n, 1, ONDEMAND, 0);
  struct child a = child_start(1, holds);
  assert_int_equal(receive_byte(a.from), 'h');
  struct child b = child_start(1, detaches_under_a_waiter);
  await_waiting(&n, 1);
  send_byte(b.to, 'd');
  assert_int_equal(receive_byte(b.from), 'j');
  assert_int_equal(receive_byte(b.from), 'r'); /* and attaching again works */
  assert_int_equal(child_wait(&b), 0);
  child_kill(&a);
  assert_int_equal(schedgpu_admin_reap(n.admin, NULL), SCHEDGPU_OK);
  node_free(&n);
}

static atomic_bool done;

static void *takes_and_gives(void *unused) {
  while (!atomic_load(&done)) {
    schedgpu_reserve(0, 512, 0);
    schedgpu_release(0, 512);
  }
  return unused;
}

static void detaches_under_a_user(int write_fd, int read_fd) {
  (void)read_fd;
  pthread_t thread;
  if (pthread_create(&thread, NULL, takes_and_gives, NULL) != 0)
    _exit(5);
  for (int i = 0; i < 2000; i++) {
    usleep(100); /* gives the thread time to get its lease, inside which it takes no lock */
    schedgpu_detach();
  }
  atomic_store(&done, true);
  pthread_join(thread, NULL);
  send_byte(write_fd, 'a');
}

static void a_detach_never_unmaps_under_other_threads(void **state) {
  (void)state;
  struct node n = node_new(0, 0);
  node_job(&n, 1, PEAK, 6 * GIB);
  struct child a = child_start(1, detaches_under_a_user);
  assert_int_equal(receive_byte(a.from), 'a');
  assert_int_equal(child_wait(&a), 0);
  assert_int_equal(schedgpu_admin_job_end(n.admin, SCHEDGPU_JOB_SLURM, 1), SCHEDGPU_OK);
  node_free(&n);
}

/** Cancelled from the start: ends at the first cancellation point that it reaches. */
static void cancel_me(void) {
  int before;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
  pthread_cancel(pthread_self());
  pthread_setcancelstate(before, NULL);
}

static void *reserve_cancelled(void *unused) {
  cancel_me();
  schedgpu_reserve(0, GIB, 0);
  return unused;
}

static void *reap_cancelled(void *handle) {
  cancel_me();
  sg_reap(handle, SCHEDGPU_FOREVER, NULL);
  return handle;
}

static void cancels_its_threads(int write_fd, int read_fd) {
  pthread_t thread;
  struct sg_handle h;
  if (sg_open(&h, getenv("SCHEDGPU_RUN_DIR")) != SCHEDGPU_OK ||
      sg_attach_slot(&h, SG_FIRST_ADMIN, SG_SLOTS, NULL, SCHEDGPU_FOREVER, NULL) != SCHEDGPU_OK ||
      pthread_create(&thread, NULL, reap_cancelled, &h) != 0)
    _exit(5);
  pthread_join(thread, NULL);
  if (pthread_create(&thread, NULL, reserve_cancelled, NULL) != 0)
    _exit(5);
  pthread_join(thread, NULL);
  struct schedgpu_info info;
  bool ok = schedgpu_query(0, &info) == SCHEDGPU_OK && schedgpu_reserve(0, GIB, 0) == SCHEDGPU_OK;
  send_byte(write_fd, ok && info.own_used_bytes == GIB ? 'c' : 'x');
  receive_byte(read_fd);
}

static void a_cancelled_thread_leaves_no_lock_behind(void **state) {
  (void)state;
  struct node n = node_new(0, 0);
  node_job(&n, 1, ONDEMAND, 0);
  struct child a = child_start(1, cancels_its_threads);
  assert_int_equal(receive_byte(a.from), 'c');
  schedgpu_admin_set_timeout(n.admin, 500 * MS);
  assert_int_equal(schedgpu_admin_reap(n.admin, NULL), SCHEDGPU_OK);
  child_kill(&a);
  assert_int_equal(schedgpu_admin_reap(n.admin, NULL), SCHEDGPU_OK);
  node_free(&n);
}

static void attaches(int write_fd, int read_fd) {
  (void)read_fd;
  send_byte(write_fd, schedgpu_attach() == SCHEDGPU_ENOJOB ? 'n' : 'x');
}

/** The job is looked up under the lock, because its record may belong to another job by then. */
static void a_job_that_ended_meanwhile_is_not_joined(void **state) {
  (void)state;
  struct node n = node_new(0, 0);
  node_job(&n, 1, ONDEMAND, 0);
  struct sg_handle h = sit_on_the_lock(&n);
  struct child a = child_start(1, attaches);
  while (!(atomic_load(&h.r->h.lock) & 0x80000000u)) /* until it sleeps on the lock */
    nap_ms(2);
  struct sg_wakes wakes = {0};
  uint32_t index = sg_job_find(h.r, SCHEDGPU_JOB_SLURM, 1);
  sg_job_end(h.r, index, 1, &wakes);
  struct schedgpu_job_spec other = job_spec(2, ONDEMAND, 0, 50);
  other.uid = 4242;
  assert_int_equal(sg_job_begin(h.r, &other, SG_NONE, 1, &wakes), SCHEDGPU_OK);
  assert_int_equal(sg_job_find(h.r, SCHEDGPU_JOB_SLURM, 2), index);
  stand_up(&h);
  assert_int_equal(receive_byte(a.from), 'n');
  assert_int_equal(child_wait(&a), 0);
  node_free(&n);
}

static void enters_and_uses(int write_fd, int read_fd) {
  bool ok = schedgpu_context_enter(0, 0) == SCHEDGPU_OK && schedgpu_reserve(0, GIB, 0) == 0;
  send_byte(write_fd, ok ? 'e' : 'x');
  receive_byte(read_fd);
}

/** Contexts of the dead must not add up to ETOOBIG. */
static void processes_one_after_another_have_room(void **state) {
  (void)state;
  struct node n = node_new(300 * MIB, 0);
  node_job(&n, 1, PEAK, 9 * GIB);
  for (int i = 0; i < 6; i++) {
    struct child a = child_start(1, enters_and_uses);
    assert_int_equal(receive_byte(a.from), 'e');
    child_kill(&a);
  }
  assert_int_equal(schedgpu_admin_reap(n.admin, NULL), SCHEDGPU_OK);
  node_free(&n);
}

static void enters_on_command(int write_fd, int read_fd) {
  schedgpu_attach();
  send_byte(write_fd, 'a');
  receive_byte(read_fd);
  send_byte(write_fd, schedgpu_context_enter(0, 0) == SCHEDGPU_OK ? 'e' : 'x');
}

static void a_too_large_request_is_repeated_after_a_reap(void **state) {
  (void)state;
  struct node n = node_new(GIB, 0);
  node_job(&n, 1, PEAK, 9 * GIB);
  struct child b = child_start(1, enters_on_command);
  assert_int_equal(receive_byte(b.from), 'a');
  struct child a = child_start(1, enters_and_uses);
  assert_int_equal(receive_byte(a.from), 'e');
  child_kill(&a);
  send_byte(b.to, 'g');
  assert_int_equal(receive_byte(b.from), 'e');
  assert_int_equal(child_wait(&b), 0);
  assert_int_equal(schedgpu_admin_reap(n.admin, NULL), SCHEDGPU_OK);
  node_free(&n);
}

static uint64_t used_gib(void) {
  struct schedgpu_info info;
  if (schedgpu_query(0, &info) != SCHEDGPU_OK)
    _exit(5);
  return info.job_used_bytes / GIB;
}

/** After a scan that took long on a busy machine, the next one is due a tenth of a second later. */
static void queries(int write_fd, int read_fd) {
  uint64_t used = used_gib();
  send_byte(write_fd, (char)('0' + used));
  receive_byte(read_fd);
  for (int i = 0; i < 1000 && (used = used_gib()) != 0; i++)
    usleep(10000);
  send_byte(write_fd, (char)('0' + used));
  receive_byte(read_fd);
}

static void a_query_counts_no_dead_siblings(void **state) {
  (void)state;
  struct node n = node_new(0, 0);
  node_job(&n, 1, PEAK, 9 * GIB);
  struct child a = child_start(1, holds);
  assert_int_equal(receive_byte(a.from), 'h');
  struct child b = child_start(1, queries);
  assert_int_equal(receive_byte(b.from), '6');
  child_kill(&a);
  /* makes the next scan due, however long the last one took */
  atomic_store(&n.admin->h.r->h.scanned_ns, 0);
  send_byte(b.to, 'g');
  assert_int_equal(receive_byte(b.from), '0');
  child_kill(&b);
  assert_int_equal(schedgpu_admin_reap(n.admin, NULL), SCHEDGPU_OK);
  node_free(&n);
}

static void waits_until_the_region_is_gone(int write_fd, int read_fd) {
  (void)read_fd;
  int rc = schedgpu_reserve(0, 6 * GIB, SCHEDGPU_FOREVER);
  send_byte(write_fd, rc == SCHEDGPU_ENOREGION ? 'g' : 'x');
}

static void the_region_is_removed_or_replaced(bool replaced) {
  struct node n = node_new(0, 0);
  node_job(&n, 1, ONDEMAND, 0);
  struct child a = child_start(1, holds);
  assert_int_equal(receive_byte(a.from), 'h');
  struct child b = child_start(1, waits_until_the_region_is_gone);
  await_waiting(&n, 1);
  assert_int_equal(schedgpu_admin_remove(n.dir, 1), SCHEDGPU_OK);
  struct schedgpu_setup s = fixture_setup(1, 10 * GIB, 0, SCHEDGPU_POLICY_FIFO);
  if (replaced)
    assert_int_equal(schedgpu_admin_setup(n.dir, &s), SCHEDGPU_OK);
  assert_int_equal(receive_byte(b.from), 'g');
  assert_int_equal(child_wait(&b), 0);
  child_kill(&a);
  node_free(&n);
}

static void a_wait_ends_when_the_region_is_removed(void **state) {
  (void)state, the_region_is_removed_or_replaced(false);
}
static void a_wait_ends_when_the_region_is_replaced(void **state) {
  (void)state, the_region_is_removed_or_replaced(true);
}

static void attaches_again(int write_fd, int read_fd) {
  send_byte(write_fd, schedgpu_attach() == SCHEDGPU_OK ? 'a' : 'x');
  receive_byte(read_fd);
  bool ok = schedgpu_detach() == SCHEDGPU_OK && schedgpu_reserve(0, 2 * GIB, 0) == SCHEDGPU_OK;
  send_byte(write_fd, ok ? 'r' : 'x');
  receive_byte(read_fd);
}

static void a_process_that_attaches_again_finds_the_new_region(void **state) {
  (void)state;
  struct node n = node_new(0, 0);
  node_job(&n, 1, ONDEMAND, 0);
  struct child a = child_start(1, attaches_again);
  assert_int_equal(receive_byte(a.from), 'a');
  assert_int_equal(schedgpu_admin_remove(n.dir, 1), SCHEDGPU_OK);
  struct schedgpu_setup s = fixture_setup(1, 10 * GIB, 0, SCHEDGPU_POLICY_FIFO);
  assert_int_equal(schedgpu_admin_setup(n.dir, &s), SCHEDGPU_OK);
  schedgpu_admin_close(n.admin);
  assert_int_equal(schedgpu_admin_open(n.dir, &n.admin), SCHEDGPU_OK);
  node_job(&n, 1, ONDEMAND, 0);
  send_byte(a.to, 'g');
  assert_int_equal(receive_byte(a.from), 'r');
  assert_int_equal(node_used(&n), 2 * GIB);
  child_kill(&a);
  assert_int_equal(schedgpu_admin_reap(n.admin, NULL), SCHEDGPU_OK);
  node_free(&n);
}

static void the_run_dir_must_be_absolute(void **state) {
  (void)state;
  struct node n = node_new(0, 0);
  be_job(1);
  setenv("SCHEDGPU_RUN_DIR", "schedgpu", 1);
  assert_int_equal(schedgpu_attach(), SCHEDGPU_EINVAL);
  node_free(&n);
}

static mode_t mode_of(const char *dir, const char *name) {
  char path[128];
  struct stat st;
  snprintf(path, sizeof path, "%s/%s", dir, name);
  assert_int_equal(stat(path, &st), 0);
  return st.st_mode & 0777;
}

static void with_a_group_others_may_not_read(void **state) {
  (void)state;
  for (int with_group = 0; with_group < 2; with_group++) {
    struct node n = {.dir = "/dev/shm/schedgpu-test.XXXXXX"};
    assert_non_null(mkdtemp(n.dir));
    node_remember(n.dir);
    struct schedgpu_setup s = fixture_setup(1, 10 * GIB, 0, SCHEDGPU_POLICY_FIFO);
    s.group = with_group ? (int32_t)getgid() : -1;
    assert_int_equal(schedgpu_admin_setup(n.dir, &s), SCHEDGPU_OK);
    assert_int_equal(schedgpu_admin_open(n.dir, &n.admin), SCHEDGPU_OK);
    assert_int_equal(mode_of(n.dir, "live"), with_group ? 0660 : 0666);
    assert_int_equal(mode_of(n.dir, "live.root"), with_group ? 0640 : 0644);
    assert_int_equal(mode_of(n.dir, "region"), with_group ? 0640 : 0644);
    assert_int_equal(mode_of(n.dir, "setup.lock"), 0600);
    struct schedgpu_region_info info;
    assert_int_equal(schedgpu_admin_region_info(n.admin, &info), SCHEDGPU_OK);
    assert_int_equal(info.mode, with_group ? 0660 : 0666);
    node_free(&n);
  }
}

static struct node two_devices(void) {
  struct node n = {.dir = "/dev/shm/schedgpu-test.XXXXXX"};
  assert_non_null(mkdtemp(n.dir));
  node_remember(n.dir);
  struct schedgpu_setup s = fixture_setup(2, 10 * GIB, GIB, SCHEDGPU_POLICY_FIFO);
  assert_int_equal(schedgpu_admin_setup(n.dir, &s), SCHEDGPU_OK);
  assert_int_equal(schedgpu_admin_open(n.dir, &n.admin), SCHEDGPU_OK);
  setenv("SCHEDGPU_RUN_DIR", n.dir, 1);
  for (uint64_t id = 1; id <= 2; id++) {
    struct schedgpu_job_spec j = job_spec(id, ONDEMAND, 0, 50);
    j.uid = (uint32_t)getuid();
    j.device_mask = 3;
    assert_int_equal(schedgpu_admin_job_begin(n.admin, &j), SCHEDGPU_OK);
  }
  return n;
}

static void enters_device_0(int write_fd, int read_fd) {
  send_byte(write_fd, schedgpu_context_enter(0, 0) == SCHEDGPU_OK ? 'e' : 'x');
  receive_byte(read_fd);
}

static void fills_device_0(int write_fd, int read_fd) {
  send_byte(write_fd, schedgpu_reserve(0, 8 * GIB, 0) == SCHEDGPU_OK ? 'h' : 'x');
  receive_byte(read_fd);
}

static void *enter_device_0(void *unused) {
  schedgpu_context_enter(0, SCHEDGPU_FOREVER);
  return unused;
}

static void enters_two_devices(int write_fd, int read_fd) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, enter_device_0, NULL) != 0)
    _exit(5);
  receive_byte(read_fd); /* the thread waits now */
  bool first = schedgpu_context_enter(1, SCHEDGPU_NO_WAIT) == SCHEDGPU_OK;
  bool again = schedgpu_context_enter(1, SCHEDGPU_NO_WAIT) == SCHEDGPU_OK;
  send_byte(write_fd, first && again ? 'e' : 'x');
  receive_byte(read_fd);
}

/** Each job has one context on device 0, and a second one of job 2 does not fit. */
static void a_context_wait_blocks_no_other_device(void **state) {
  (void)state;
  struct node n = two_devices();
  struct child sibling = child_start(2, enters_device_0);
  assert_int_equal(receive_byte(sibling.from), 'e');
  struct child a = child_start(1, fills_device_0);
  assert_int_equal(receive_byte(a.from), 'h');
  struct child b = child_start(2, enters_two_devices);
  await_waiting(&n, 1);
  send_byte(b.to, 'g');
  assert_int_equal(receive_byte(b.from), 'e');
  child_kill(&b);
  child_kill(&a);
  child_kill(&sibling);
  assert_int_equal(schedgpu_admin_reap(n.admin, NULL), SCHEDGPU_OK);
  node_free(&n);
}

static void queries_on_command(const struct schedgpu_wait_notice *notice, void *write_fd) {
  struct schedgpu_info info;
  if (!notice->lock_holder_pid)
    return;
  int rc = schedgpu_query(0, &info);
  send_byte(*(int *)write_fd, rc == SCHEDGPU_OK ? 'q' : rc == SCHEDGPU_ELOCK ? 'l' : 'x');
}

static void reserves_behind_the_lock(int write_fd, int read_fd) {
  schedgpu_set_wait_observer(queries_on_command, &write_fd);
  if (schedgpu_attach() != SCHEDGPU_OK)
    _exit(5);
  send_byte(write_fd, 'a');
  receive_byte(read_fd);
  send_byte(write_fd, schedgpu_reserve(0, GIB, 100 * MS) == SCHEDGPU_ELOCK ? 'e' : 'x');
  send_byte(write_fd, schedgpu_reserve(0, GIB, SCHEDGPU_FOREVER) == SCHEDGPU_OK ? 'r' : 'x');
}

static void an_observer_may_query_and_a_deadline_ends_in_elock(void **state) {
  (void)state;
  struct node n = node_new(0, 0);
  node_job(&n, 1, ONDEMAND, 0);
  struct child a = child_start(1, reserves_behind_the_lock);
  assert_int_equal(receive_byte(a.from), 'a');
  struct sg_handle h = sit_on_the_lock(&n);
  send_byte(a.to, 'g');
  assert_int_equal(receive_byte(a.from), 'q');
  assert_int_equal(receive_byte(a.from), 'e');
  assert_int_equal(receive_byte(a.from), 'q');
  stand_up(&h);
  assert_int_equal(receive_byte(a.from), 'r');
  assert_int_equal(child_wait(&a), 0);
  assert_int_equal(schedgpu_admin_reap(n.admin, NULL), SCHEDGPU_OK);
  node_free(&n);
}

static void attaches_behind_the_lock(int write_fd, int read_fd) {
  (void)read_fd;
  schedgpu_set_wait_observer(queries_on_command, &write_fd);
  send_byte(write_fd, schedgpu_attach() == SCHEDGPU_OK ? 'a' : 'x');
}

static void waiting_for_the_lock_while_attaching_is_reported(void **state) {
  (void)state;
  struct node n = node_new(0, 0);
  node_job(&n, 1, ONDEMAND, 0);
  struct sg_handle h = sit_on_the_lock(&n);
  struct child a = child_start(1, attaches_behind_the_lock);
  assert_int_equal(receive_byte(a.from), 'l');
  stand_up(&h);
  assert_int_equal(receive_byte(a.from), 'a');
  assert_int_equal(child_wait(&a), 0);
  assert_int_equal(schedgpu_admin_reap(n.admin, NULL), SCHEDGPU_OK);
  node_free(&n);
}

/** fcntl fails for another reason than "taken": the table is not full. */
static void a_byte_that_cannot_be_locked_is_not_a_full_table(void **state) {
  (void)state;
  struct node n = node_new(0, 0);
  node_job(&n, 1, ONDEMAND, 0);
  be_job(1);
  atomic_store(&lock_error, ENOLCK);
  int rc = schedgpu_attach();
  atomic_store(&lock_error, 0);
  assert_int_equal(rc, SCHEDGPU_ESYSTEM);
  node_free(&n);
}

int main(void) {
  alarm(600); /* a hang must end as a failure, not as a hang */
  signal(SIGPIPE, SIG_IGN);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_detach_ends_the_waits_of_other_threads),
      cmocka_unit_test(a_detach_never_unmaps_under_other_threads),
      cmocka_unit_test(a_cancelled_thread_leaves_no_lock_behind),
      cmocka_unit_test(a_job_that_ended_meanwhile_is_not_joined),
      cmocka_unit_test(processes_one_after_another_have_room),
      cmocka_unit_test(a_too_large_request_is_repeated_after_a_reap),
      cmocka_unit_test(a_query_counts_no_dead_siblings),
      cmocka_unit_test(a_wait_ends_when_the_region_is_removed),
      cmocka_unit_test(a_wait_ends_when_the_region_is_replaced),
      cmocka_unit_test(a_process_that_attaches_again_finds_the_new_region),
      cmocka_unit_test(the_run_dir_must_be_absolute),
      cmocka_unit_test(with_a_group_others_may_not_read),
      cmocka_unit_test(a_context_wait_blocks_no_other_device),
      cmocka_unit_test(an_observer_may_query_and_a_deadline_ends_in_elock),
      cmocka_unit_test(waiting_for_the_lock_while_attaching_is_reported),
      cmocka_unit_test(a_byte_that_cannot_be_locked_is_not_a_full_table),
  };
  return cmocka_run_group_tests_name("hosts", tests, NULL, NULL);
}

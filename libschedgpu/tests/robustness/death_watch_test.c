/*
 * Case 09: a waiter is told of a death. Its waiting thread is held in a handler of the program
 * meanwhile, so it cannot have looked by itself.
 */
#include "robustness.h"
#include "../../shell/client/self.h"
#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>

static int handler_says, handler_hears;

/** Not while the thread works in the region: then no other one could. */
static void hold_the_thread(int number) {
  (void)number;
  bool works = pthread_mutex_trylock(&sg_self()->mutex) != 0;
  if (!works)
    pthread_mutex_unlock(&sg_self()->mutex);
  send_byte(handler_says, works ? 'w' : 's');
  if (!works)
    receive_byte(handler_hears);
}

/** Wants 6 GiB; SIGUSR1 holds the thread that waits ('s'), until the next letter. */
static void waits_and_can_be_held(int write_fd, int read_fd) {
  handler_says = write_fd;
  handler_hears = read_fd;
  signal(SIGUSR1, hold_the_thread);
  holds_six(write_fd, read_fd);
}

/** Iterations of a lane job, whose turn another process has. */
static void takes_turns(int write_fd, int read_fd) {
  handler_says = write_fd;
  handler_hears = read_fd;
  signal(SIGUSR1, hold_the_thread);
  if (schedgpu_iteration_begin(0, SCHEDGPU_FOREVER) != SCHEDGPU_OK)
    _exit(3);
  send_byte(write_fd, 'h');
  receive_byte(read_fd);
}

/** The number of entries of a folder of the process that lead to `target`; NULL: of all. */
static int entries(pid_t pid, const char *folder, const char *target) {
  char path[64], to[64];
  int n = 0;
  snprintf(path, sizeof path, "/proc/%d/%s", pid, folder);
  DIR *d = opendir(path);
  assert_non_null(d);
  for (struct dirent *e = readdir(d); e; e = readdir(d)) {
    ssize_t length = target ? readlinkat(dirfd(d), e->d_name, to, sizeof to - 1) : 0;
    to[length > 0 ? length : 0] = 0;
    n += e->d_name[0] != '.' && (!target || strcmp(to, target) == 0);
  }
  closedir(d);
  return n;
}

/** Waits until the process has a thread that watches, which sleeps. */
static void await_watcher(const struct child *c) {
  while (entries(c->pid, "task", NULL) != 2)
    nap_ms(1);
}

static void hold_waiter(const struct child *c) {
  do
    kill(c->pid, SIGUSR1);
  while (receive_byte(c->from) != 's');
}

/** Without events a death during the first looks would be found by chance. */
#define AFTER_THE_LOOKS_MS 300

static void a_death_serves_the_held_waiter(struct node *n, struct child *a, struct child *b,
                                           const _Atomic uint32_t *state) {
  await_watcher(b);
  nap_ms(AFTER_THE_LOOKS_MS);
  hold_waiter(b);
  child_kill(a);
  while (atomic_load(state) == SG_WAITING)
    nap_ms(1);
  send_byte(b->to, 'g');
  assert_int_equal(receive_byte(b->from), 'h');
  child_kill(b);
  end_empty(n);
}

static void case_09_a_waiter_is_told_of_a_death_and_does_not_look(void **state) {
  (void)state;
  struct node n = node_with_jobs(2, ONDEMAND);
  struct sg_handle view = map_region(&n);
  struct child a = start_holder(1), b = child_start(2, waits_and_can_be_held);
  a_death_serves_the_held_waiter(&n, &a, &b, &view.r->waiter[SECOND].state);
  sg_close(&view);
}

static void case_09_a_waiter_for_the_turn_is_told_of_a_death(void **state) {
  (void)state;
  struct node n = node_with_jobs(0, ONDEMAND);
  struct sg_handle view = map_region(&n);
  for (uint64_t id = 1; id <= 2; id++) {
    struct schedgpu_job_spec job = job_spec(id, PEAK, 8 * GIB, 50);
    job.uid = (uint32_t)getuid();
    job.lane = SCHEDGPU_LANE_FAIR;
    job.persistent_bytes = GIB;
    assert_int_equal(schedgpu_admin_job_begin(n.admin, &job), SCHEDGPU_OK);
  }
  struct child a = child_start(1, takes_turns);
  assert_int_equal(receive_byte(a.from), 'h');
  struct child b = child_start(2, takes_turns);
  a_death_serves_the_held_waiter(&n, &a, &b, &view.r->turn[SECOND].state);
  sg_close(&view);
}

static void case_09_the_program_has_no_descriptor_of_the_watch(void **state) {
  (void)state;
  struct node n = node_with_jobs(2, ONDEMAND);
  struct child a = start_holder(1), b = child_start(2, holds_six);
  await_watcher(&b);
  nap_ms(AFTER_THE_LOOKS_MS);
  assert_int_equal(entries(b.pid, "fd", "anon_inode:inotify"), 0);
  child_kill(&a);
  assert_int_equal(receive_byte(b.from), 'h');
  while (entries(b.pid, "task", NULL) != 1) /* the watch ends with the wait */
    nap_ms(1);
  child_kill(&b);
  end_empty(&n);
}

/** The thread of the watch runs a moment longer than the wait: its code stays. */
static void case_09_a_program_that_closes_the_library_keeps_its_code(void **state) {
  (void)state;
  void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
  assert_non_null(library);
  assert_int_equal(dlclose(library), 0);
  assert_non_null(dlopen(LIBRARY, RTLD_NOW | RTLD_NOLOAD));
}

int main(void) {
  alarm(600);
  signal(SIGPIPE, SIG_IGN);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(case_09_a_waiter_is_told_of_a_death_and_does_not_look),
      cmocka_unit_test(case_09_a_waiter_for_the_turn_is_told_of_a_death),
      cmocka_unit_test(case_09_the_program_has_no_descriptor_of_the_watch),
      cmocka_unit_test(case_09_a_program_that_closes_the_library_keeps_its_code),
  };
  return cmocka_run_group_tests_name("case 9: told of a death", tests, NULL, NULL);
}

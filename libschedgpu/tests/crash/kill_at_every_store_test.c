/*
 * SIGKILL at every store of every transition that another process can see, each enumerated: the
 * child runs a script and dies at its k-th store, for k = 1, 2, ... until it gets through. After
 * every death the node must be right again by itself: whoever waits is served, nothing is lost,
 * nothing is invented.
 */
#include "../support/node.h"
#include "../support/crash.h"
#include "../../shell/mend.h"
#include "../../shell/run_dir.h"

#define PEAK SCHEDGPU_MODE_PEAK
#define ONDEMAND SCHEDGPU_MODE_ONDEMAND
#define GATE SCHEDGPU_MODE_GATE

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

static void case_01_life_of_an_ondemand_process(void **state) {
  (void)state, at_every_store(ONDEMAND, ondemand_life);
}
static void case_01_life_of_a_peak_process(void **state) {
  (void)state, at_every_store(PEAK, peak_life);
}

static void hold_nine(int say_fd, int hear_fd) {
  if (schedgpu_reserve(0, 9 * GIB, 0) != SCHEDGPU_OK)
    _exit(3);
  say(say_fd, 'h');
  hear(hear_fd);
}

static void case_01_queueing_and_giving_up(void **state) {
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
  crash_at_store(hear(hear_fd), SIGKILL);
  schedgpu_release(0, 6 * GIB); /* grants to who waits, and dies in between */
  schedgpu_detach();
  crash_never();
  say(say_fd, 'e');
}

/** It frees by leaving: while it dies its record is gone already, and only the lock names it. */
static void hold_six_and_detach_at(int say_fd, int hear_fd) {
  if (schedgpu_reserve(0, 6 * GIB, 0) != SCHEDGPU_OK)
    _exit(3);
  say(say_fd, 'h');
  crash_at_store(hear(hear_fd), SIGKILL);
  schedgpu_detach();
  crash_never();
  say(say_fd, 'e');
}

/** The one who hands over dies at every store of it: the waiter is served all the same. */
static void hand_over(void (*giving)(int, int)) {
  bool through = false;
  for (char k = 1; !through; k++) {
    assert_true(k < 127);
    struct node n = node_new(0, 0);
    node_job(&n, 1, ONDEMAND, 0);
    node_job(&n, 2, ONDEMAND, 0);
    struct child giver = child_start(1, giving);
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

static void case_01_handing_over_to_the_waiter(void **state) {
  (void)state, hand_over(hold_six_and_end_at);
}
static void case_01_detaching_hands_over_to_the_waiter(void **state) {
  (void)state, hand_over(hold_six_and_detach_at);
}

static void case_01_the_root_side(void **state) {
  (void)state, at_every_store(PEAK, administration);
}

/** Takes over from a dead lock holder and dies at every store of the repair. */
static void case_01_the_repair_itself(void **state) {
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

struct segments {
  int count;
  struct {
    int id;
    pid_t maker;
  } all[4096]; /* SHMMNI */
};

static void look(struct segments *now) {
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

/**
 * Segments that these two processes made: the one that was killed, and this one. Those from before
 * are others', whose makers' pids were given again.
 */
static int segments_of(pid_t one, pid_t two, const struct segments *before) {
  static struct segments now;
  int count = 0;
  look(&now);
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
    look(&before);
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
static void
case_16_who_adopts_a_region_in_use_is_killed_and_its_reservations_survive(void **state) {
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

static void case_16_who_removes_a_region_is_killed_and_the_next_setup_works(void **state) {
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

/* --- mode gate --- */

static void gate_life(void) {
  if (schedgpu_gate(0) != SCHEDGPU_OK || schedgpu_gate(0) != SCHEDGPU_OK ||
      schedgpu_context_enter(0, 0) != SCHEDGPU_OK || schedgpu_reserve(0, GIB, 0) != SCHEDGPU_OK ||
      schedgpu_release(0, GIB) != SCHEDGPU_OK || schedgpu_detach() != SCHEDGPU_OK)
    _exit(9);
}

/** Ends the job while it is a process of it, as an epilog does under programs that live on. */
static void end_of_a_gate_job(void) {
  schedgpu_admin *a;
  if (schedgpu_gate(0) != SCHEDGPU_OK ||
      schedgpu_admin_open(getenv("SCHEDGPU_RUN_DIR"), &a) != SCHEDGPU_OK ||
      schedgpu_admin_job_end(a, SCHEDGPU_JOB_SLURM, 1) != SCHEDGPU_OK ||
      schedgpu_reserve(0, GIB, 0) != SCHEDGPU_ENOJOB || schedgpu_detach() != SCHEDGPU_OK)
    _exit(9);
  schedgpu_admin_close(a);
}

/** What a gate holds is the job's: after the death of its process all of it, or nothing. */
static void gate_is_open_or_closed(struct node *n) {
  assert_int_equal(schedgpu_admin_reap(n->admin, NULL), SCHEDGPU_OK);
  node_check(n);
  uint64_t used = node_used(n), open = 4 * GIB + GIB / 8;
  assert_true(used == 0 || used == open);
  int rc = schedgpu_admin_job_end(n->admin, SCHEDGPU_JOB_SLURM, 1);
  assert_true(rc == SCHEDGPU_OK || (rc == SCHEDGPU_ENOJOB && used == 0));
}

static void at_every_store_of_a_gate(void (*script)(void)) {
  long k = 1;
  for (bool alive = false; !alive; k++) {
    struct node n = node_new(GIB / 8, 0);
    node_job(&n, 1, GATE, 4 * GIB);
    alive = run_until(script, k);
    gate_is_open_or_closed(&n);
    neighbour_gets_everything(&n);
    node_free(&n);
  }
  printf("survived SIGKILL at each of %ld stores\n", k - 2);
  assert_true(k > 10);
}

static void case_01_life_of_a_process_behind_a_gate(void **state) {
  (void)state, at_every_store_of_a_gate(gate_life);
}
static void case_01_the_end_of_a_gate_job(void **state) {
  (void)state, at_every_store_of_a_gate(end_of_a_gate_job);
}

static void waits_at_the_gate(void) {
  if (schedgpu_gate(1000000) != SCHEDGPU_ETIMEDOUT || schedgpu_gate(0) != SCHEDGPU_EWOULDBLOCK ||
      schedgpu_detach() != SCHEDGPU_OK)
    _exit(9);
}

static void case_01_waiting_at_a_gate_and_giving_up(void **state) {
  (void)state;
  long k = 1;
  for (bool alive = false; !alive; k++) {
    struct node n = node_new(GIB / 8, 0);
    node_job(&n, 1, GATE, 4 * GIB);
    node_job(&n, 9, ONDEMAND, 0);
    struct child holder = child_start(9, hold_nine);
    assert_int_equal(hear(holder.from), 'h');
    alive = run_until(waits_at_the_gate, k);
    child_kill(&holder);
    schedgpu_admin_job_end(n.admin, SCHEDGPU_JOB_SLURM, 1); /* it may have been granted by then */
    neighbour_gets_everything(&n);
    node_free(&n);
  }
  printf("survived SIGKILL at each of %ld stores\n", k - 2);
}

/* --- a job of several processes --- */

/** The first of them to ask: its job is admitted, with the contexts of both. */
static void first_of_two(void) {
  if (schedgpu_context_enter(0, 0) != SCHEDGPU_OK || schedgpu_reserve(0, GIB, 0) != SCHEDGPU_OK ||
      schedgpu_release(0, GIB) != SCHEDGPU_OK || schedgpu_context_leave(0) != SCHEDGPU_OK ||
      schedgpu_detach() != SCHEDGPU_OK)
    _exit(9);
}

static void second_of_two(int say_fd, int hear_fd) {
  say(say_fd, schedgpu_attach() == SCHEDGPU_OK ? 'a' : 'x');
  hear(hear_fd);
  bool ok = schedgpu_context_enter(0, INT64_C(20000000000)) == SCHEDGPU_OK &&
            schedgpu_reserve(0, 4 * GIB, INT64_C(20000000000)) == SCHEDGPU_OK;
  say(say_fd, ok ? 'e' : 'x');
  hear(hear_fd);
}

/** Whatever became of the first one, the second has its context and all of the budget. */
static void case_01_admission_of_a_job_with_two_processes(void **state) {
  (void)state;
  long k = 1;
  for (bool alive = false; !alive; k++) {
    struct node n = node_new(GIB / 8, 0);
    struct schedgpu_job_spec s = job_spec(1, PEAK, 4 * GIB, 50);
    s.uid = (uint32_t)getuid();
    s.processes = 2;
    assert_int_equal(schedgpu_admin_job_begin(n.admin, &s), SCHEDGPU_OK);
    struct child second = child_start(1, second_of_two);
    assert_int_equal(hear(second.from), 'a');
    alive = run_until(first_of_two, k);
    say(second.to, 'e');
    assert_int_equal(hear(second.from), 'e');
    assert_int_equal(schedgpu_admin_reap(n.admin, NULL), SCHEDGPU_OK);
    node_check(&n);
    assert_int_equal(node_used(&n), 4 * GIB + 2 * (GIB / 8));
    child_kill(&second);
    neighbour_gets_everything(&n);
    node_free(&n);
  }
  printf("survived SIGKILL at each of %ld stores\n", k - 2);
  assert_true(k > 10);
}

/* --- the banker's rule --- */

/** Has 5 of a claim of 8, gets the rest, which is safe, and gives all of it back. */
static void finishes_its_claim(int say_fd, int hear_fd) {
  if (schedgpu_reserve(0, 5 * GIB, 0) != SCHEDGPU_OK)
    _exit(3);
  say(say_fd, 'h');
  crash_at_store(hear(hear_fd), SIGKILL);
  schedgpu_reserve(0, 3 * GIB, SCHEDGPU_FOREVER);
  schedgpu_release(0, 8 * GIB);
  schedgpu_detach();
  crash_never();
  say(say_fd, 'e');
}

/** Has 1 of a claim of 8; 2 more would fit, but nobody could finish any more. */
static void waits_for_a_safe_state(int say_fd, int hear_fd) {
  bool ok = schedgpu_reserve(0, GIB, 0) == SCHEDGPU_OK &&
            schedgpu_reserve(0, 2 * GIB, SCHEDGPU_FOREVER) == SCHEDGPU_OK;
  say(say_fd, ok ? 'g' : 'x');
  hear(hear_fd);
}

static void case_01_increments_under_the_bankers_rule(void **state) {
  (void)state;
  bool through = false;
  char k = 1;
  for (; !through; k++) {
    assert_true(k < 127);
    struct schedgpu_setup s = fixture_setup(1, 10 * GIB, 0, SCHEDGPU_POLICY_FIFO);
    s.deadlock_rule = SCHEDGPU_DEADLOCK_AVOID;
    struct node n = node_of(&s);
    node_job(&n, 1, ONDEMAND, 8 * GIB);
    node_job(&n, 2, ONDEMAND, 8 * GIB);
    struct child a = child_start(1, finishes_its_claim);
    assert_int_equal(hear(a.from), 'h');
    struct child b = child_start(2, waits_for_a_safe_state);
    await_waiting(&n, 1);
    say(a.to, k);
    through = hear(a.from) == 'e';
    child_kill(&a);
    assert_int_equal(hear(b.from), 'g');
    assert_int_equal(schedgpu_admin_reap(n.admin, NULL), SCHEDGPU_OK);
    node_check(&n);
    assert_int_equal(node_used(&n), 3 * GIB);
    child_kill(&b);
    assert_int_equal(schedgpu_admin_job_end(n.admin, SCHEDGPU_JOB_SLURM, 2), SCHEDGPU_OK);
    neighbour_gets_everything(&n);
    node_free(&n);
  }
  printf("survived SIGKILL at each of %d stores\n", k - 2);
  assert_true(k > 10);
}

/* --- the middle of the queue --- */

static int observer_say, observer_hear;

static void hold_the_waiter(const struct schedgpu_wait_notice *notice, void *unused) {
  (void)unused;
  if (notice->ended)
    return;
  say(observer_say, 'w');
  crash_at_store(hear(observer_hear), SIGKILL);
}

/** Gives up once it is told to, and ends at one of the stores of that. */
static void gives_up_in_the_middle(int say_fd, int hear_fd) {
  observer_say = say_fd;
  observer_hear = hear_fd;
  schedgpu_set_wait_observer(hold_the_waiter, NULL);
  int rc = schedgpu_reserve(0, 2 * GIB, 1);
  crash_never();
  say(say_fd, rc == SCHEDGPU_ETIMEDOUT ? 'e' : 'x');
}

static void wait_for_three(int say_fd, int hear_fd) {
  say(say_fd, schedgpu_reserve(0, 3 * GIB, SCHEDGPU_FOREVER) == SCHEDGPU_OK ? 'g' : 'x');
  hear(hear_fd);
}

/** One before it and one behind it stay in the queue, and in their order. */
static void case_01_leaving_the_middle_of_the_queue(void **state) {
  (void)state;
  bool through = false;
  char k = 1;
  for (; !through; k++) {
    assert_true(k < 127);
    struct node n = node_new(0, 0);
    for (uint64_t id = 1; id <= 4; id++)
      node_job(&n, id, ONDEMAND, 0);
    struct child holder = child_start(4, hold_nine);
    assert_int_equal(hear(holder.from), 'h');
    struct child first = child_start(2, wait_for_five);
    await_waiting(&n, 1);
    struct child middle = child_start(1, gives_up_in_the_middle);
    assert_int_equal(hear(middle.from), 'w');
    struct child last = child_start(3, wait_for_three);
    await_waiting(&n, 3);
    say(middle.to, k);
    through = hear(middle.from) == 'e';
    child_kill(&middle);
    assert_int_equal(schedgpu_admin_reap(n.admin, NULL), SCHEDGPU_OK);
    node_check(&n);
    await_waiting(&n, 2);
    child_kill(&holder);
    assert_int_equal(schedgpu_admin_reap(n.admin, NULL), SCHEDGPU_OK);
    assert_int_equal(hear(first.from), 'g');
    assert_int_equal(hear(last.from), 'g');
    assert_int_equal(node_used(&n), 8 * GIB);
    child_kill(&first);
    child_kill(&last);
    neighbour_gets_everything(&n);
    node_free(&n);
  }
  printf("survived SIGKILL at each of %d stores\n", k - 2);
  assert_true(k > 5);
}

/* --- a priority that changes while its job waits --- */

static void changes_the_priority(void) {
  schedgpu_admin *a;
  struct schedgpu_job_spec s = job_spec(3, ONDEMAND, 0, 90);
  s.uid = (uint32_t)getuid();
  if (schedgpu_admin_open(getenv("SCHEDGPU_RUN_DIR"), &a) != SCHEDGPU_OK ||
      schedgpu_admin_job_begin(a, &s) != SCHEDGPU_OK)
    _exit(9);
  s.priority = 10;
  if (schedgpu_admin_job_begin(a, &s) != SCHEDGPU_OK)
    _exit(9);
  schedgpu_admin_close(a);
}

static void case_01_a_priority_that_changes_while_its_job_waits(void **state) {
  (void)state;
  long k = 1;
  for (bool alive = false; !alive; k++) {
    struct schedgpu_setup s = fixture_setup(1, 10 * GIB, 0, SCHEDGPU_POLICY_PRIORITY_FIFO);
    struct node n = node_of(&s);
    for (uint64_t id = 1; id <= 4; id++)
      node_job(&n, id, ONDEMAND, 0);
    struct child holder = child_start(4, hold_nine);
    assert_int_equal(hear(holder.from), 'h');
    struct child a = child_start(2, wait_for_five), b = child_start(3, wait_for_three);
    await_waiting(&n, 2);
    alive = run_until(changes_the_priority, k);
    child_kill(&holder);
    assert_int_equal(schedgpu_admin_reap(n.admin, NULL), SCHEDGPU_OK);
    node_check(&n);
    assert_int_equal(hear(a.from), 'g');
    assert_int_equal(hear(b.from), 'g');
    child_kill(&a);
    child_kill(&b);
    neighbour_gets_everything(&n);
    node_free(&n);
  }
  printf("survived SIGKILL at each of %ld stores\n", k - 2);
  assert_true(k > 10);
}

/* --- outside memory --- */

/** Foreign memory is lowered, an overrun set, raised and cleared: the first and last serve. */
static void tells_of_outside_memory(void) {
  schedgpu_admin *a;
  if (schedgpu_admin_open(getenv("SCHEDGPU_RUN_DIR"), &a) != SCHEDGPU_OK ||
      schedgpu_admin_set_overrun(a, SCHEDGPU_JOB_SLURM, 3, 0, 6 * GIB) != SCHEDGPU_OK ||
      schedgpu_admin_set_foreign(a, 0, GIB) != SCHEDGPU_OK ||
      schedgpu_admin_set_overrun(a, SCHEDGPU_JOB_SLURM, 3, 0, 8 * GIB) != SCHEDGPU_OK ||
      schedgpu_admin_set_overrun(a, SCHEDGPU_JOB_SLURM, 3, 0, 0) != SCHEDGPU_OK ||
      schedgpu_admin_set_foreign(a, 0, 0) != SCHEDGPU_OK)
    _exit(9);
  schedgpu_admin_close(a);
}

/** Whatever was told by then is told again by the next one, and who waits for it is served. */
static void case_01_outside_memory_is_set(void **state) {
  (void)state;
  long k = 1;
  for (bool alive = false; !alive; k++) {
    struct node n = node_new(GIB / 8, 0);
    for (uint64_t id = 1; id <= 3; id++)
      node_job(&n, id, ONDEMAND, 0);
    assert_int_equal(schedgpu_admin_set_foreign(n.admin, 0, 7 * GIB), SCHEDGPU_OK);
    struct child waiter = child_start(2, wait_for_five);
    await_waiting(&n, 1);
    alive = run_until(tells_of_outside_memory, k);
    assert_int_equal(schedgpu_admin_reap(n.admin, NULL), SCHEDGPU_OK);
    node_check(&n);
    tells_of_outside_memory();
    assert_int_equal(hear(waiter.from), 'g');
    assert_int_equal(node_used(&n), 5 * GIB + GIB / 8);
    child_kill(&waiter);
    assert_int_equal(schedgpu_admin_set_overrun(n.admin, SCHEDGPU_JOB_SLURM, 3, 0, 9 * GIB),
                     SCHEDGPU_OK);
    assert_int_equal(schedgpu_admin_job_end(n.admin, SCHEDGPU_JOB_SLURM, 3), SCHEDGPU_OK);
    neighbour_gets_everything(&n);
    node_free(&n);
  }
  printf("survived SIGKILL at each of %ld stores\n", k - 2);
  assert_true(k > 10);
}

/* --- overflow --- */

/** Budget and more at once, more again, waits in vain for more still, and gives all back. */
static void overflowing_life(void) {
  if (schedgpu_reserve(0, 5 * GIB, 0) != SCHEDGPU_OK ||
      schedgpu_reserve(0, 2 * GIB, 0) != SCHEDGPU_OK ||
      schedgpu_reserve(0, GIB, 1000000) != SCHEDGPU_ETIMEDOUT ||
      schedgpu_release(0, 6 * GIB) != SCHEDGPU_OK || schedgpu_release(0, GIB) != SCHEDGPU_OK ||
      schedgpu_detach() != SCHEDGPU_OK)
    _exit(9);
}

static void node_overflowing_job(struct node *n, uint64_t id, uint64_t budget_bytes) {
  struct schedgpu_job_spec s = job_spec(id, PEAK, budget_bytes, 50);
  s.uid = (uint32_t)getuid();
  s.flags = SCHEDGPU_JOB_FLAG_OVERFLOW_WAITS;
  assert_int_equal(schedgpu_admin_job_begin(n->admin, &s), SCHEDGPU_OK);
}

static void hold_six(int say_fd, int hear_fd) {
  if (schedgpu_reserve(0, 6 * GIB, 0) != SCHEDGPU_OK)
    _exit(3);
  say(say_fd, 'h');
  hear(hear_fd);
}

static void hold_three(int say_fd, int hear_fd) {
  if (schedgpu_reserve(0, 3 * GIB, 0) != SCHEDGPU_OK)
    _exit(3);
  say(say_fd, 'h');
  hear(hear_fd);
}

static void case_01_life_of_a_process_whose_overflow_waits(void **state) {
  (void)state;
  long k = 1;
  for (bool alive = false; !alive; k++) {
    struct node n = node_new(0, 0);
    node_overflowing_job(&n, 1, 4 * GIB);
    node_job(&n, 9, ONDEMAND, 0);
    struct child holder = child_start(9, hold_three);
    assert_int_equal(hear(holder.from), 'h');
    alive = run_until(overflowing_life, k);
    child_kill(&holder);
    neighbour_gets_everything(&n);
    node_free(&n);
  }
  printf("survived SIGKILL at each of %ld stores\n", k - 2);
  assert_true(k > 10);
}

static void gives_back_inside_the_budget(int say_fd, int hear_fd) {
  if (schedgpu_reserve(0, 4 * GIB, 0) != SCHEDGPU_OK)
    _exit(3);
  say(say_fd, 'h');
  crash_at_store(hear(hear_fd), SIGKILL);
  schedgpu_release(0, GIB); /* which a sibling waits for; the rest stays */
  crash_never();
  say(say_fd, 'e');
  hear(hear_fd);
}

static void wait_for_one(int say_fd, int hear_fd) {
  say(say_fd, schedgpu_reserve(0, GIB, SCHEDGPU_FOREVER) == SCHEDGPU_OK ? 'g' : 'x');
  hear(hear_fd);
}

/** A sibling waits inside the budget: whoever gives back dies, and it is served all the same. */
static void case_01_a_sibling_waits_inside_the_budget(void **state) {
  (void)state;
  bool through = false;
  char k = 1;
  for (; !through; k++) {
    assert_true(k < 127);
    struct node n = node_new(0, 0);
    node_overflowing_job(&n, 1, 4 * GIB);
    node_job(&n, 9, ONDEMAND, 0);
    struct child holder = child_start(9, hold_six);
    assert_int_equal(hear(holder.from), 'h');
    struct child giver = child_start(1, gives_back_inside_the_budget);
    assert_int_equal(hear(giver.from), 'h');
    struct child waiter = child_start(1, wait_for_one);
    await_waiting(&n, 1);
    say(giver.to, k);
    through = hear(giver.from) == 'e';
    assert_int_equal(hear(waiter.from), 'g');
    child_kill(&giver);
    assert_int_equal(schedgpu_admin_reap(n.admin, NULL), SCHEDGPU_OK);
    node_check(&n);
    assert_int_equal(node_used(&n), 10 * GIB);
    child_kill(&waiter);
    child_kill(&holder);
    neighbour_gets_everything(&n);
    node_free(&n);
  }
  printf("survived SIGKILL at each of %d stores\n", k - 2);
  assert_true(k > 5);
}

/* --- the checkpoint --- */

static void answers(void) {
  schedgpu_admin *a;
  if (schedgpu_admin_open(getenv("SCHEDGPU_RUN_DIR"), &a) != SCHEDGPU_OK ||
      schedgpu_admin_answer(a) != SCHEDGPU_OK)
    _exit(9);
  schedgpu_admin_close(a);
}

static bool has_job(const struct node *n, uint64_t id) {
  struct sg_checkpoint *c = sg_checkpoint_load(n->dir, 0);
  struct sg_job saved;
  bool found = false;
  for (uint32_t j = 0; j < SCHEDGPU_MAX_JOBS; j++)
    found |= sg_checkpoint_find(c, j, &saved) && saved.id == id;
  sg_checkpoint_free(c);
  return found;
}

/** As who begins a job leaves it to an agent: the file is of before, and it is due. */
static void leave_it_due(struct node *n) {
  char path[128], kept[128];
  snprintf(path, sizeof path, "%s/" SG_CHECKPOINT_FILE, n->dir);
  snprintf(kept, sizeof kept, "%s/kept", n->dir);
  assert_int_equal(link(path, kept), 0);
  node_job(n, 1, PEAK, 4 * GIB);
  assert_int_equal(rename(kept, path), 0);
  snprintf(path, sizeof path, "%s/" SG_CHECKPOINT_DUE_FILE, n->dir);
  int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
  assert_true(fd >= 0);
  close(fd);
  assert_false(has_job(n, 1));
}

/** There is always a whole one, and the next agent, which begins with a setup, has it right. */
static void case_01_the_agent_writes_the_checkpoint(void **state) {
  (void)state;
  long k = 1;
  struct schedgpu_setup setup = fixture_setup(1, 10 * GIB, GIB / 8, SCHEDGPU_POLICY_FIFO);
  for (bool alive = false; !alive; k++) {
    struct node n = node_new(GIB / 8, 0);
    leave_it_due(&n);
    alive = run_until(answers, k);
    struct sg_checkpoint *c = sg_checkpoint_load(n.dir, 0);
    assert_non_null(c);
    sg_checkpoint_free(c);
    assert_true(!alive || has_job(&n, 1));
    assert_int_equal(schedgpu_admin_setup(n.dir, &setup), SCHEDGPU_OK);
    assert_true(has_job(&n, 1));
    neighbour_gets_everything(&n);
    node_free(&n);
  }
  printf("survived SIGKILL at each of %ld stores\n", k - 2);
  assert_true(k > 10);
}

/* --- what is remembered --- */

/** It has held and used something, and a process of it lives on. */
static void ends_job_one(void) {
  schedgpu_admin *a;
  if (schedgpu_admin_open(getenv("SCHEDGPU_RUN_DIR"), &a) != SCHEDGPU_OK ||
      schedgpu_admin_note_peaks(a) != SCHEDGPU_OK ||
      schedgpu_admin_job_end(a, SCHEDGPU_JOB_SLURM, 1) != SCHEDGPU_OK)
    _exit(9);
  schedgpu_admin_close(a);
}

static void use_three_of_six(int say_fd, int hear_fd) {
  if (schedgpu_context_enter(0, 0) != SCHEDGPU_OK ||
      schedgpu_reserve(0, 3 * GIB, 0) != SCHEDGPU_OK ||
      schedgpu_release(0, 2 * GIB) != SCHEDGPU_OK ||
      schedgpu_reserve(0, 6 * GIB, 0) != SCHEDGPU_EBUDGET)
    _exit(3);
  say(say_fd, 'h');
  hear(hear_fd);
}

static void is_remembered(const struct sg_region *r, uint64_t sequence, uint64_t peak_bytes) {
  const struct sg_ended *e = &r->ended[sequence - 1];
  assert_int_equal(atomic_load(&e->sequence), sequence);
  assert_int_equal(e->id, sequence);
  assert_int_equal(e->budget_bytes[0], sequence == 1 ? 6 * GIB : GIB);
  assert_int_equal(e->peak_bytes[0], peak_bytes);
  assert_true(e->begun_ns <= e->ended_ns);
  assert_true(e->held_ns <= e->ended_ns - e->begun_ns);
  assert_int_equal(e->held_ns != 0, sequence == 1);
  /* whoever is killed while he notes it may have it noted twice, and never not at all */
  assert_in_range(e->refusals, sequence == 1, sequence == 1 ? 2 : 0);
  assert_int_equal(e->refused_bytes, sequence == 1 ? 6 * GIB : 0);
}

/** Each of them ends once, by whomever, and its record is whole. */
static void case_01_jobs_that_end_are_remembered_once(void **state) {
  (void)state;
  long k = 1;
  struct sg_region *r = aligned_alloc(64, schedgpu_snapshot_size());
  assert_non_null(r);
  for (bool alive = false; !alive; k++) {
    struct node n = node_new(GIB / 8, 0);
    node_job(&n, 1, PEAK, 6 * GIB);
    node_job(&n, 2, PEAK, GIB);
    struct child user = child_start(1, use_three_of_six);
    assert_int_equal(hear(user.from), 'h');
    alive = run_until(ends_job_one, k);
    schedgpu_admin_job_end(n.admin, SCHEDGPU_JOB_SLURM, 1);
    schedgpu_admin_job_end(n.admin, SCHEDGPU_JOB_SLURM, 2);
    assert_int_equal(schedgpu_admin_snapshot(n.admin, r, sizeof *r), SCHEDGPU_OK);
    assert_int_equal(r->h.ended, 2);
    is_remembered(r, 1, 3 * GIB + GIB / 8);
    is_remembered(r, 2, 0);
    child_kill(&user);
    neighbour_gets_everything(&n);
    node_free(&n);
  }
  free(r);
  printf("survived SIGKILL at each of %ld stores\n", k - 2);
  assert_true(k > 50);
}

/* --- all at once: they mostly sleep --- */

/** A test by itself, in a process of its own; what it prints goes to `*out`. */
static pid_t start_apart(const struct CMUnitTest *test, FILE **out) {
  *out = tmpfile();
  assert_non_null(*out);
  fflush(NULL);
  pid_t pid = fork();
  if (pid != 0)
    return pid;
  alarm(900);
  if (dup2(fileno(*out), 1) != 1 || dup2(fileno(*out), 2) != 2)
    _exit(1);
  int failed = _cmocka_run_group_tests("killed at every store", test, 1, NULL, NULL);
  fflush(NULL);
  node_remove_all(); /* of a test that failed */
  _exit(failed != 0);
}

static int end_apart(pid_t pid, FILE *out) {
  int status, c;
  waitpid(pid, &status, 0);
  rewind(out);
  while ((c = fgetc(out)) != EOF)
    putchar(c);
  fclose(out);
  return status != 0;
}

/** `kill_at_every_store_test NAME` runs one test. */
int main(int argc, char **argv) {
  signal(SIGPIPE, SIG_IGN);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(case_01_life_of_an_ondemand_process),
      cmocka_unit_test(case_01_life_of_a_peak_process),
      cmocka_unit_test(case_01_queueing_and_giving_up),
      cmocka_unit_test(case_01_handing_over_to_the_waiter),
      cmocka_unit_test(case_01_detaching_hands_over_to_the_waiter),
      cmocka_unit_test(case_01_the_root_side),
      cmocka_unit_test(case_01_the_repair_itself),
      cmocka_unit_test(case_16_a_creator_is_killed_and_the_next_one_adopts_or_removes_its_region),
      cmocka_unit_test(case_16_who_adopts_a_region_in_use_is_killed_and_its_reservations_survive),
      cmocka_unit_test(case_16_who_removes_a_region_is_killed_and_the_next_setup_works),
      cmocka_unit_test(case_01_life_of_a_process_behind_a_gate),
      cmocka_unit_test(case_01_the_end_of_a_gate_job),
      cmocka_unit_test(case_01_waiting_at_a_gate_and_giving_up),
      cmocka_unit_test(case_01_admission_of_a_job_with_two_processes),
      cmocka_unit_test(case_01_increments_under_the_bankers_rule),
      cmocka_unit_test(case_01_leaving_the_middle_of_the_queue),
      cmocka_unit_test(case_01_a_priority_that_changes_while_its_job_waits),
      cmocka_unit_test(case_01_outside_memory_is_set),
      cmocka_unit_test(case_01_life_of_a_process_whose_overflow_waits),
      cmocka_unit_test(case_01_a_sibling_waits_inside_the_budget),
      cmocka_unit_test(case_01_the_agent_writes_the_checkpoint),
      cmocka_unit_test(case_01_jobs_that_end_are_remembered_once),
  };
  enum { TESTS = sizeof tests / sizeof *tests };
  pid_t pid[TESTS];
  FILE *out[TESTS] = {NULL};
  int failed = 0;
  for (int i = 0; i < TESTS; i++)
    if (argc < 2 || strcmp(argv[1], tests[i].name) == 0)
      pid[i] = start_apart(&tests[i], &out[i]);
  for (int i = 0; i < TESTS; i++)
    failed += out[i] && end_apart(pid[i], out[i]);
  return failed;
}

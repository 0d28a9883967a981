/* lies_test.c - users who name slots, jobs and waits of other users. */
#include "hostile.h"
#include "../../shell/sys/sluid.h"
#include "schedgpu/run.h"

static struct sg_wire_answer of_another; /* the answer that another process got when it attached */

static int resumes_anothers_slot(void) {
  int fd = raw_open();
  struct sg_wire_question q = question_of(SG_WIRE_RESUME);
  memset(&q.resume, 0, sizeof q.resume);
  q.resume.job = (struct sg_wire_attach){.id = 1, .kind = SCHEDGPU_JOB_SLURM};
  q.resume.slot = of_another.attached.slot;
  q.resume.gen = of_another.attached.gen;
  EXPECT(raw_ask(fd, &q, NULL) == SCHEDGPU_ENOJOB);
  return 0;
}

static int holds_six_raw(int write_fd) {
  struct sg_page *page;
  int fd = raw_attach(1, &of_another, NULL, &page);
  struct sg_wire_question q = ask_for(6 * GIB, 0);
  EXPECT(raw_ask(fd, &q, NULL) == SCHEDGPU_OK);
  atomic_store(&page->client.lease[0], (6 * GIB / 512) << 32 | 6 * GIB / 512);
  send_byte(write_fd, 'h');
  pause();
  return 0;
}

static void the_slot_of_another_process_is_not_resumed(void **state) {
  (void)state;
  struct child holder = hostile_start(ALICE, holds_six_raw);
  struct sg_handle h = map_region(&node); /* what an attacker would have to know */
  for (uint32_t i = SG_FIRST_CLIENT; i < SG_SLOTS; i++)
    if (h.r->client[i].state == SG_ACTIVE)
      of_another.attached = (struct sg_wire_attached){.slot = i, .gen = h.r->client[i].agen};
  assert_int_equal(as_user(BOB, resumes_anothers_slot), 0);
  assert_int_equal(as_user(ALICE, resumes_anothers_slot),
                   0); /* nor by a forged pid: messages have none */
  assert_int_equal(node_used(&node), 6 * GIB);
  assert_int_equal(h.r->client[of_another.attached.slot].pid, holder.pid);
  assert_int_equal(h.r->client[of_another.attached.slot].uid, ALICE);
  sg_close(&h);
  child_kill(&holder);
}

static int names_jobs_that_are_not_its_own(void) {
  static const uint64_t ids[] = {1, 3, 0, UINT64_MAX};
  for (int i = 0; i < 4; i++)
    for (uint32_t kind = 0; kind < 4; kind++) {
      int fd = raw_open();
      struct sg_wire_question q = question_of(SG_WIRE_ATTACH);
      q.attach = (struct sg_wire_attach){.id = ids[i], .kind = kind};
      int rc = raw_ask(fd, &q, NULL);
      EXPECT(rc == (kind == 1 || kind == 2 ? SCHEDGPU_ENOJOB : SCHEDGPU_EINVAL));
      close(fd);
    }
  return 0;
}

static void forged_job_ids_are_refused(void **state) {
  (void)state;
  assert_int_equal(as_user(BOB, names_jobs_that_are_not_its_own), 0);
}

static int attach_and_let_go(int fd) {
  struct sg_wire_question q = question_of(SG_WIRE_ATTACH);
  struct sg_wire_answer a;
  int got[2] = {-1, -1};
  q.attach = (struct sg_wire_attach){.id = 1, .kind = SCHEDGPU_JOB_SLURM};
  send(fd, &q, q.head.size, MSG_NOSIGNAL);
  int rc = raw_answer(fd, &a, got);
  close(got[0]); /* no mapping is left, so the lock is gone */
  close(got[1]);
  return rc;
}

/** Lets go of its slot, and another process removes its record, before the agent notices. */
static void connects_twice(int write_fd, int read_fd) {
  become(ALICE);
  int fd = raw_open();
  send_byte(write_fd, attach_and_let_go(fd) == SCHEDGPU_OK ? 'a' : 'n');
  receive_byte(read_fd);
  send_byte(write_fd, attach_and_let_go(fd) == SCHEDGPU_OK ? 'a' : 'n');
  receive_byte(read_fd);
}

static void a_removed_process_may_attach_again(void **state) {
  (void)state;
  struct child user = child_start(0, connects_twice);
  assert_int_equal(receive_byte(user.from), 'a');
  assert_int_equal(schedgpu_admin_reap(node.admin, NULL), SCHEDGPU_OK);
  assert_int_equal(send_command(&user, 'x'), 'a');
  child_kill(&user);
}

/** Puts this process into a control group as Slurm creates it. False if that is not permitted. */
static bool enter_cgroup(const char *scope, const char *name) {
  char path[160], text[32];
  snprintf(path, sizeof path, "%s/%s", scope, name);
  if ((mkdir(scope, 0755) != 0 && errno != EEXIST) || (mkdir(path, 0755) != 0 && errno != EEXIST))
    return false;
  snprintf(path, sizeof path, "%s/%s/cgroup.procs", scope, name);
  int fd = open(path, O_WRONLY);
  int n = snprintf(text, sizeof text, "%d", getpid());
  bool entered = fd >= 0 && write(fd, text, (size_t)n) == n;
  if (fd >= 0)
    close(fd);
  return entered;
}

/** Begins a job as `schedgpu run` does. */
static int begin_a_job(void) {
  schedgpu_run *run;
  struct schedgpu_job_spec spec = job_spec(0, PEAK, 1 * GIB, 50);
  int rc = schedgpu_run_open(getenv("SCHEDGPU_RUN_DIR"), &run);
  return rc == SCHEDGPU_OK ? schedgpu_run_begin(run, &spec) : rc;
}

static int attach_to_a_job_that_its_user_began(void) {
  setenv("SCHEDGPU_JOB", "run:3", 1);
  return schedgpu_attach();
}

static int act_from_cgroup(const char *scope, const char *name, int (*act)(void)) {
  fflush(NULL);
  pid_t pid = fork();
  if (pid == 0) {
    bool entered = enter_cgroup(scope, name);
    be_job(1);
    become(ALICE);
    _exit(entered ? -act() : 99);
  }
  int status;
  waitpid(pid, &status, 0);
  char path[160];
  snprintf(path, sizeof path, "%s/%s", scope, name);
  rmdir(path);
  rmdir(scope);
  return WEXITSTATUS(status);
}

/** Finds a folder where Slurm's scope can be created. */
static void find_scope(char scope[96]) {
  static const char *const roots[] = {"/sys/fs/cgroup", "/sys/fs/cgroup/freezer",
                                      "/sys/fs/cgroup/cpu"}; /* version 2, version 1 */
  int at = 0;
  for (char path[64]; at < 2; at++) {
    snprintf(path, sizeof path, "%s/cgroup.procs", roots[at]);
    if (access(path, W_OK) == 0)
      break;
  }
  snprintf(scope, 96, "%s/test%d_slurmstepd.scope", roots[at % 2], getpid());
}

/** Slurm 26.05 and newer: the folder has the job's SLUID, which the prolog recorded. */
static void a_sluid_is_the_job_that_the_prolog_recorded(void **state) {
  (void)state;
  char scope[96];
  find_scope(scope);
  const char *run_dir = getenv("SCHEDGPU_RUN_DIR");
  int rc = act_from_cgroup(scope, "s7HC1W9R9G3Y00", schedgpu_attach);
  if (rc == 99)
    skip_because("control groups cannot be made here");
  assert_int_equal(rc, -SCHEDGPU_ENOJOB); /* no prolog recorded it */
  assert_int_equal(act_from_cgroup(scope, "s7HC1W9R9G3Y00", begin_a_job), -SCHEDGPU_EPERM);
  assert_int_equal(sg_sluid_record(run_dir, "s7HC1W9R9G3Y00", 4), SCHEDGPU_OK);
  assert_int_equal(act_from_cgroup(scope, "s7HC1W9R9G3Y00", schedgpu_attach), -SCHEDGPU_ENOJOB);
  assert_int_equal(sg_sluid_record(run_dir, "s7HC1W9R9G3Y00", 1), SCHEDGPU_OK);
  assert_int_equal(act_from_cgroup(scope, "s7HC1W9R9G3Y00", schedgpu_attach), 0);
}

/** The job belongs to the user, but the process is in another job. */
static void a_process_of_a_slurm_job_joins_no_other_job(void **state) {
  (void)state;
  char scope[96];
  find_scope(scope);
  int rc = act_from_cgroup(scope, "job_4", schedgpu_attach);
  if (rc == 99)
    skip_because("control groups cannot be made here");
  assert_int_equal(rc, -SCHEDGPU_ENOJOB);
  assert_int_equal(act_from_cgroup(scope, "job_1", schedgpu_attach), 0);
  struct schedgpu_job_spec run = job_spec(3, ONDEMAND, 0, 50); /* which has a budget of its own */
  run.kind = SCHEDGPU_JOB_RUN;
  run.uid = ALICE;
  assert_int_equal(schedgpu_admin_job_begin(node.admin, &run), SCHEDGPU_OK);
  assert_int_equal(act_from_cgroup(scope, "job_1", attach_to_a_job_that_its_user_began),
                   -SCHEDGPU_ENOJOB);
  assert_int_equal(act_from_cgroup(scope, "job_1", begin_a_job), -SCHEDGPU_EPERM);
}

static int meddles_with_waits(void) {
  struct sg_wire_answer a;
  int fd = raw_attach(2, &a, NULL, NULL);
  for (uint64_t ticket = 0; ticket < 20; ticket++) {
    struct sg_wire_question q = question_of(SG_WIRE_SETTLE);
    q.settle.ticket = ticket;
    EXPECT(raw_ask(fd, &q, NULL) == SCHEDGPU_ENOJOB);
  }
  return 0;
}

static void the_wait_of_another_is_not_ended(void **state) {
  (void)state;
  struct child one = user_start(ALICE, 1), two = user_start(ALICE, 1);
  does(one, 'r', SCHEDGPU_OK);
  send_byte(two.to, 'r');
  await_waiting(&node, 1);
  assert_int_equal(as_user(BOB, meddles_with_waits), 0);
  does(one, 'g', SCHEDGPU_OK);
  assert_int_equal(receive_byte(two.from), OK_ANSWER);
  child_kill(&one);
  child_kill(&two);
}

static int looks_at_holders(void) {
  struct sg_wire_answer a;
  int fd = raw_attach(2, &a, NULL, NULL);
  struct sg_wire_question q = question_of(SG_WIRE_HOLDERS);
  q.device = (struct sg_wire_device){0};
  EXPECT(raw_ask(fd, &q, &a) == SCHEDGPU_OK);
  EXPECT(strcmp(a.text, "1 other job holds 6.0 GiB") == 0);
  q = ask_for(6 * GIB, 1);
  EXPECT(raw_ask(fd, &q, &a) == SCHEDGPU_EWOULDBLOCK);
  EXPECT(a.queued.holders == 1 && a.queued.holder_job_id == 0 && a.queued.holder_uid == 0);
  q = question_of(SG_WIRE_QUERY);
  q.device = (struct sg_wire_device){0};
  EXPECT(raw_ask(fd, &q, &a) == SCHEDGPU_OK);
  EXPECT(a.info.job_used_bytes == 0 && a.info.job_id == 2);
  q.device.device = 5;
  EXPECT(raw_ask(fd, &q, &a) == SCHEDGPU_EDEVICE);
  q.device.device = UINT32_MAX;
  EXPECT(raw_ask(fd, &q, &a) == SCHEDGPU_EDEVICE);
  return 0;
}

static void only_sums_of_other_users_are_shown(void **state) {
  (void)state;
  struct child holder = user_start(ALICE, 1);
  does(holder, 'r', SCHEDGPU_OK);
  assert_int_equal(as_user(BOB, looks_at_holders), 0);
  child_kill(&holder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      hostile(the_slot_of_another_process_is_not_resumed),
      hostile(forged_job_ids_are_refused),
      hostile(a_removed_process_may_attach_again),
      hostile(a_process_of_a_slurm_job_joins_no_other_job),
      hostile(a_sluid_is_the_job_that_the_prolog_recorded),
      hostile(the_wait_of_another_is_not_ended),
      hostile(only_sums_of_other_users_are_shown),
  };
  alarm(600);
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* hostile_test.c - users who lie, flood, and send what is no message. */
#include "raw.h"
#include "schedgpu/run.h"
#include <sys/resource.h>

static struct node node;
static struct child agent;

static int set_up(void **state) {
  (void)state;
  node = closed_node(0, 0);
  job_of(&node, 1, ALICE, ONDEMAND, 0);
  job_of(&node, 2, BOB, ONDEMAND, 0);
  job_of(&node, 4, ALICE, PEAK, 3 * GIB);
  agent = agent_start();
  return 0;
}

/** Whatever was done to it, the agent still serves, and the region is right. */
static int tear_down(void **state) {
  (void)state;
  struct child user = user_start(BOB, 2);
  does(user, 'r', SCHEDGPU_OK);
  child_kill(&user);
  /* which has its budget for as long as nobody asks for it */
  assert_int_equal(schedgpu_admin_job_end(node.admin, SCHEDGPU_JOB_SLURM, 4), SCHEDGPU_OK);
  await_used(&node, 0);
  child_kill(&agent);
  node_free(&node);
  agent_limits = (struct schedgpu_broker_limits){0};
  return 0;
}

static struct sg_wire_answer of_another; /* what another process was told when it attached */

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

static int holds_six_raw(int say_fd) {
  struct sg_page *page;
  int fd = raw_attach(1, &of_another, NULL, &page);
  struct sg_wire_question q = ask_for(6 * GIB, 0);
  EXPECT(raw_ask(fd, &q, NULL) == SCHEDGPU_OK);
  atomic_store(&page->client.lease[0], (6 * GIB / 512) << 32 | 6 * GIB / 512);
  say(say_fd, 'h');
  pause();
  return 0;
}

static void the_slot_of_another_process_is_not_resumed(void **state) {
  (void)state;
  struct child holder = hostile_start(ALICE, holds_six_raw);
  struct sg_handle h = look(&node); /* what a spy would have to know */
  for (uint32_t i = SG_FIRST_CLIENT; i < SG_SLOTS; i++)
    if (h.r->client[i].state == SG_ACTIVE)
      of_another.attached = (struct sg_wire_attached){.slot = i, .gen = h.r->client[i].agen};
  assert_int_equal(as_user(BOB, resumes_anothers_slot), 0);
  assert_int_equal(as_user(ALICE, resumes_anothers_slot),
                   0); /* nor by a forged pid: none is sent */
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

static void forged_job_ids_lead_nowhere(void **state) {
  (void)state;
  assert_int_equal(as_user(BOB, names_jobs_that_are_not_its_own), 0);
}

/** A control group as Slurm makes them, of this process; false where that is not permitted. */
static int attach_and_let_go(int fd) {
  struct sg_wire_question q = question_of(SG_WIRE_ATTACH);
  struct sg_wire_answer a;
  int got[2] = {-1, -1};
  q.attach = (struct sg_wire_attach){.id = 1, .kind = SCHEDGPU_JOB_SLURM};
  send(fd, &q, q.head.size, MSG_NOSIGNAL);
  int rc = raw_answer(fd, &a, got);
  close(got[0]); /* it is nowhere mapped: the lock is gone */
  close(got[1]);
  return rc;
}

/** It lets go, and another removes its record, before the agent hears of it. */
static void comes_twice(int say_fd, int hear_fd) {
  become(ALICE);
  int fd = raw_open();
  say(say_fd, attach_and_let_go(fd) == SCHEDGPU_OK ? 'a' : 'n');
  hear(hear_fd);
  say(say_fd, attach_and_let_go(fd) == SCHEDGPU_OK ? 'a' : 'n');
  hear(hear_fd);
}

static void who_was_removed_may_attach_again(void **state) {
  (void)state;
  struct child user = child_start(0, comes_twice);
  assert_int_equal(hear(user.from), 'a');
  assert_int_equal(schedgpu_admin_reap(node.admin, NULL), SCHEDGPU_OK);
  assert_int_equal(tell_it(&user, 'x'), 'a');
  child_kill(&user);
}

static bool enter_cgroup_of_job(const char *scope, unsigned job) {
  char path[160], text[32];
  snprintf(path, sizeof path, "%s/job_%u", scope, job);
  if ((mkdir(scope, 0755) != 0 && errno != EEXIST) || (mkdir(path, 0755) != 0 && errno != EEXIST))
    return false;
  snprintf(path, sizeof path, "%s/job_%u/cgroup.procs", scope, job);
  int fd = open(path, O_WRONLY);
  int n = snprintf(text, sizeof text, "%d", getpid());
  bool entered = fd >= 0 && write(fd, text, (size_t)n) == n;
  if (fd >= 0)
    close(fd);
  return entered;
}

/** As `schedgpu run` does it. */
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

static int act_from_cgroup(const char *scope, unsigned cgroup_job, int (*act)(void)) {
  fflush(NULL);
  pid_t pid = fork();
  if (pid == 0) {
    bool entered = enter_cgroup_of_job(scope, cgroup_job);
    be_job(1);
    become(ALICE);
    _exit(entered ? -act() : 99);
  }
  int status;
  waitpid(pid, &status, 0);
  char path[160];
  snprintf(path, sizeof path, "%s/job_%u", scope, cgroup_job);
  rmdir(path);
  rmdir(scope);
  return WEXITSTATUS(status);
}

/** The user's own job, but not the one that the process is in. */
static void a_process_of_a_slurm_job_is_of_no_other(void **state) {
  (void)state;
  char scope[96];
  static const char *const roots[] = {"/sys/fs/cgroup", "/sys/fs/cgroup/freezer",
                                      "/sys/fs/cgroup/cpu"}; /* version 2, version 1 */
  int at = 0;
  for (char path[64]; at < 2; at++) {
    snprintf(path, sizeof path, "%s/cgroup.procs", roots[at]);
    if (access(path, W_OK) == 0)
      break;
  }
  snprintf(scope, sizeof scope, "%s/test%d_slurmstepd.scope", roots[at], getpid());
  int rc = act_from_cgroup(scope, 4, schedgpu_attach);
  if (rc == 99)
    skip_because("control groups cannot be made here");
  assert_int_equal(rc, -SCHEDGPU_ENOJOB);
  assert_int_equal(act_from_cgroup(scope, 1, schedgpu_attach), 0);
  struct schedgpu_job_spec run = job_spec(3, ONDEMAND, 0, 50); /* which would be another budget */
  run.kind = SCHEDGPU_JOB_RUN;
  run.uid = ALICE;
  assert_int_equal(schedgpu_admin_job_begin(node.admin, &run), SCHEDGPU_OK);
  assert_int_equal(act_from_cgroup(scope, 1, attach_to_a_job_that_its_user_began),
                   -SCHEDGPU_ENOJOB);
  assert_int_equal(act_from_cgroup(scope, 1, begin_a_job), -SCHEDGPU_EPERM);
}

static int meddles_with_waits(void) {
  struct sg_wire_answer a;
  int fd = raw_attach(2, &a, NULL, NULL);
  for (uint32_t waiter = 0; waiter < 4; waiter++)
    for (uint64_t ticket = 0; ticket < 20; ticket++) {
      struct sg_wire_question q = question_of(SG_WIRE_SETTLE);
      q.settle = (struct sg_wire_wait){.ticket = ticket, .waiter = waiter};
      EXPECT(raw_ask(fd, &q, NULL) == SCHEDGPU_ENOJOB);
    }
  struct sg_wire_question q = question_of(SG_WIRE_SETTLE);
  q.settle.waiter = UINT32_MAX;
  EXPECT(raw_ask(fd, &q, NULL) == SCHEDGPU_EINVAL);
  return 0;
}

static void the_wait_of_another_is_not_ended(void **state) {
  (void)state;
  struct child one = user_start(ALICE, 1), two = user_start(ALICE, 1);
  does(one, 'r', SCHEDGPU_OK);
  say(two.to, 'r');
  await_waiting(&node, 1);
  assert_int_equal(as_user(BOB, meddles_with_waits), 0);
  does(one, 'g', SCHEDGPU_OK);
  assert_int_equal(hear(two.from), OK_ANSWER);
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

static void of_others_only_sums_are_told(void **state) {
  (void)state;
  struct child holder = user_start(ALICE, 1);
  does(holder, 'r', SCHEDGPU_OK);
  assert_int_equal(as_user(BOB, looks_at_holders), 0);
  child_kill(&holder);
}

static int sends_what_is_no_message(void) {
  struct sg_wire_question good = question_of(SG_WIRE_BEGIN), q;
  char big[70000] = {0};
  for (uint32_t size = 1; size < good.head.size; size++) { /* halves */
    int fd = raw_open();
    struct sg_wire_answer a;
    send(fd, &good, size, MSG_NOSIGNAL);
    EXPECT(raw_answer(fd, &a, NULL) == 1);
    close(fd);
  }
  good = question_of(SG_WIRE_QUERY);
  for (int i = 0; i < 8; i++) {
    int fd = raw_open();
    q = good;
    memcpy(big, &good, sizeof good.head);
    size_t size = good.head.size;
    struct sg_wire_answer a;
    switch (i) {
    case 0:
      q.head.magic++;
      break;
    case 1:
      q.head.version++;
      break;
    case 2:
      q.head.type = 0;
      break;
    case 3:
      q.head.type = SG_WIRE_TYPES;
      break;
    case 4:
      q.head.type = UINT16_MAX;
      break;
    case 5:
      q.head.size++;
      break;
    case 6:
      q = question_of(SG_WIRE_HELLO);
      size = q.head.size;
      break; /* twice */
    default:
      break;
    }
    if (i < 7)
      send(fd, &q, size, MSG_NOSIGNAL);
    else
      send(fd, big, sizeof big, MSG_NOSIGNAL); /* oversized */
    EXPECT(raw_answer(fd, &a, NULL) == 1);
    close(fd);
  }
  int fd = raw_connect(); /* without a greeting */
  EXPECT(raw_ask(fd, &good, NULL) == 1);
  close(fd);
  fd = raw_connect();
  q = question_of(SG_WIRE_HELLO);
  q.hello = (struct sg_wire_hello){SG_WIRE_VERSION + 1, UINT32_MAX};
  EXPECT(raw_ask(fd, &q, NULL) == SCHEDGPU_EVERSION);
  close(fd);
  fd = raw_connect();
  q.hello = (struct sg_wire_hello){0, SG_WIRE_LOWEST - 1};
  EXPECT(raw_ask(fd, &q, NULL) == SCHEDGPU_EVERSION);
  close(fd);
  return 0;
}

static void who_sends_what_is_no_message_is_cut_off(void **state) {
  (void)state;
  assert_int_equal(as_user(ALICE, sends_what_is_no_message), 0);
}

static int sends_descriptors(void) {
  char control[CMSG_SPACE(100 * sizeof(int))] = {0};
  for (int k = 0; k < 20; k++) {
    int fd = raw_open();
    struct sg_wire_question q = question_of(SG_WIRE_QUERY);
    struct sg_wire_answer a;
    struct iovec part = {&q, q.head.size};
    struct msghdr m = {.msg_iov = &part,
                       .msg_iovlen = 1,
                       .msg_control = control,
                       .msg_controllen = sizeof control};
    struct cmsghdr *c = CMSG_FIRSTHDR(&m);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(100 * sizeof(int));
    for (int i = 0; i < 100; i++)
      memcpy(CMSG_DATA(c) + (size_t)i * sizeof(int), &fd, sizeof fd);
    EXPECT(sendmsg(fd, &m, MSG_NOSIGNAL) > 0);
    EXPECT(raw_answer(fd, &a, NULL) == 1);
    close(fd);
  }
  return 0;
}

static void descriptors_that_are_sent_along_are_not_taken(void **state) {
  (void)state;
  int before = count_descriptors(agent.pid);
  assert_int_equal(as_user(ALICE, sends_descriptors), 0);
  while (count_descriptors(agent.pid) > before) /* connections that are just being closed */
    nap_ms(1);
}

static int connects_very_often(int say_fd) {
  int cut = 0;
  for (int i = 0; i < 1000; i++) {
    int fd = raw_connect();
    struct sg_wire_question hello = question_of(SG_WIRE_HELLO);
    cut += raw_ask(fd, &hello, NULL) != SCHEDGPU_OK;
  }
  EXPECT(cut == 1000 - 200);
  say(say_fd, 'h');
  pause();
  return 0;
}

static void a_user_has_so_many_connections_and_no_more(void **state) {
  (void)state;
  child_kill(&agent);
  agent_limits.connections_per_user = 200;
  agent = agent_start();
  struct child crowd = hostile_start(ALICE, connects_very_often);
  struct child user = user_start(BOB, 2);
  does(user, 'r', SCHEDGPU_OK);
  child_kill(&user);
  child_kill(&crowd);
}

static void short_of_descriptors_it_goes_on(void **state) {
  (void)state;
  child_kill(&agent);
  struct rlimit before;
  getrlimit(RLIMIT_NOFILE, &before);
  setrlimit(RLIMIT_NOFILE, &(struct rlimit){64, before.rlim_max});
  agent = agent_start();
  setrlimit(RLIMIT_NOFILE, &before);
  int fd[100];
  for (int i = 0; i < 100; i++)
    fd[i] = raw_connect();
  for (int i = 0; i < 100; i++)
    close(fd[i]);
}

static int attaches_too_often(void) {
  struct sg_wire_answer a;
  int refused = 0;
  for (int i = 0; i < 30; i++) {
    int fd = raw_open();
    struct sg_wire_question q = question_of(SG_WIRE_ATTACH);
    q.attach = (struct sg_wire_attach){.id = 1, .kind = SCHEDGPU_JOB_SLURM};
    int got[2] = {-1, -1};
    send(fd, &q, q.head.size, MSG_NOSIGNAL);
    int rc = raw_answer(fd, &a, got);
    EXPECT(rc == SCHEDGPU_OK || rc == SCHEDGPU_EFULL);
    refused += rc == SCHEDGPU_EFULL;
  }
  EXPECT(refused == 20);
  return 0;
}

static int waits_too_often(void) {
  struct sg_wire_answer a;
  int refused = 0, fd = raw_attach(1, &a, NULL, NULL);
  for (uint32_t i = 0; i < 30; i++) {
    struct sg_wire_question q = ask_for(6 * GIB, 1);
    q.ask.cell = i;
    int rc = raw_ask(fd, &q, &a);
    EXPECT(rc == SCHEDGPU_EWOULDBLOCK || rc == SCHEDGPU_EFULL);
    refused += rc == SCHEDGPU_EFULL;
  }
  EXPECT(refused == 25);
  return 0;
}

static void a_user_has_so_many_slots_and_waits_and_no_more(void **state) {
  (void)state;
  child_kill(&agent);
  agent_limits.clients_per_user = 10;
  agent_limits.waits_per_user = 5;
  agent = agent_start();
  assert_int_equal(as_user(ALICE, attaches_too_often), 0);
  struct child bob = user_start(BOB, 2);
  does(bob, 'r', SCHEDGPU_OK);
  assert_int_equal(as_user(ALICE, waits_too_often), 0);
  child_kill(&bob);
}

static int asks_without_a_pause(int say_fd) {
  int fd = raw_open();
  struct sg_wire_question q = question_of(SG_WIRE_QUERY);
  struct sg_wire_answer a;
  for (int i = 0;; i++) {
    EXPECT(raw_ask(fd, &q, &a) == SCHEDGPU_ENOJOB);
    if (i == 20)
      say(say_fd, 'h');
  }
}

static void a_flood_is_read_later_and_others_at_once(void **state) {
  (void)state;
  child_kill(&agent);
  agent_limits.messages_per_second = 100;
  agent = agent_start();
  struct child flood = hostile_start(ALICE, asks_without_a_pause);
  struct child user = user_start(BOB, 2);
  for (int i = 0; i < 10; i++) {
    does(user, 'r', SCHEDGPU_OK);
    does(user, 'g', SCHEDGPU_OK);
  }
  child_kill(&user);
  child_kill(&flood);
  say(agent.to, 's');
  assert_int_equal(hear(agent.from), 't');
  assert_int_equal(child_wait(&agent), 0);
  agent = agent_start();
}

/** Until nothing more can be sent: the agent has no room for an answer, and reads no question. */
static int never_reads(int say_fd) {
  int fd = raw_open();
  struct sg_wire_question q = question_of(SG_WIRE_QUERY);
  struct pollfd p = {.fd = fd, .events = POLLOUT};
  while (poll(&p, 1, 300) > 0 && send(fd, &q, q.head.size, MSG_NOSIGNAL | MSG_DONTWAIT) > 0)
    ;
  say(say_fd, 'h');
  p.events = 0;
  while (!(p.revents & POLLHUP)) /* cut off */
    poll(&p, 1, -1);
  say(say_fd, 'c');
  pause();
  return 0;
}

static void who_never_reads_is_cut_off(void **state) {
  (void)state;
  child_kill(&agent);
  agent_limits.patience_ms = 1000;
  agent_limits.messages_per_second = 1000000;
  agent = agent_start();
  struct child slow = hostile_start(ALICE, never_reads);
  assert_int_equal(hear(slow.from), 'c');
  child_kill(&slow);
}

static int never_greets(int say_fd) {
  int fd = raw_connect();
  char c;
  say(say_fd, 'h');
  EXPECT(read(fd, &c, 1) == 0);
  say(say_fd, 'c');
  pause();
  return 0;
}

static void who_never_greets_is_cut_off(void **state) {
  (void)state;
  child_kill(&agent);
  agent_limits.patience_ms = 50;
  agent = agent_start();
  struct child silent = hostile_start(ALICE, never_greets);
  assert_int_equal(hear(silent.from), 'c');
  child_kill(&silent);
}

static int misuses_what_it_was_given(void) {
  struct sg_wire_answer a;
  int fds[2];
  char path[64];
  raw_attach(1, &a, fds, NULL);
  EXPECT(ftruncate(fds[1], 0) != 0); /* the agent would die of SIGBUS */
  EXPECT(ftruncate(fds[1], 8192) != 0);
  EXPECT(write(fds[0], "x", 1) < 0);
  struct flock l = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 64, .l_len = 1};
  EXPECT(fcntl(fds[0], F_OFD_SETLK, &l) != 0);
  snprintf(path, sizeof path, "/proc/self/fd/%d", fds[0]);
  EXPECT(open(path, O_RDWR) < 0);
  return 0;
}

static void neither_page_nor_liveness_file_can_be_misused(void **state) {
  (void)state;
  assert_int_equal(as_user(ALICE, misuses_what_it_was_given), 0);
}

/** Every lock that can be had of its own file is had: nobody else is kept from a slot by it. */
static int locks_all_it_can(int say_fd) {
  struct sg_wire_answer a;
  int fds[2];
  raw_attach(1, &a, fds, NULL);
  struct flock all = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
  EXPECT(fcntl(fds[0], F_OFD_SETLK, &all) == 0);
  say(say_fd, 'h');
  pause();
  return 0;
}

static void locks_on_ones_own_file_keep_nobody_alive_or_out(void **state) {
  (void)state;
  struct child greedy = hostile_start(ALICE, locks_all_it_can), user = user_start(BOB, 2);
  does(user, 'r', SCHEDGPU_OK);
  child_kill(&user);
  await_used(&node, 0);
  child_kill(&greedy);
}

/** It says that it uses more than it was given, then nothing, then anything. */
static int scribbles(int say_fd) {
  struct sg_wire_answer a;
  struct sg_page *page;
  int fd = raw_attach(4, &a, NULL, &page);
  struct sg_wire_question q = ask_for(1 * GIB, 0), sync = question_of(SG_WIRE_SYNC);
  EXPECT(raw_ask(fd, &q, NULL) == SCHEDGPU_OK);
  for (uint64_t i = 0;; i++) {
    uint64_t noise = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
    for (size_t k = 0; k < sizeof *page / 8; k++)
      ((volatile uint64_t *)page)[k] = i % 3 == 0 ? UINT64_MAX : i % 3 == 1 ? 0 : noise;
    int rc = raw_ask(fd, i % 2 ? &q : &sync, &a);
    EXPECT(rc == SCHEDGPU_OK || rc == SCHEDGPU_EWOULDBLOCK || rc == SCHEDGPU_EBUDGET);
    if (i == 200)
      say(say_fd, 'h');
  }
}

static void whatever_stands_in_a_page_the_region_is_right(void **state) {
  (void)state;
  struct child scribbler = hostile_start(ALICE, scribbles);
  struct child user = user_start(BOB, 2);
  for (int i = 0; i < 50; i++) {
    tell_it(&user, 'n');
    tell_it(&user, 'g');
    node_check(&node);
  }
  child_kill(&user);
  child_kill(&scribbler);
}

int main(void) {
#define hostile(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      hostile(the_slot_of_another_process_is_not_resumed),
      hostile(forged_job_ids_lead_nowhere),
      hostile(who_was_removed_may_attach_again),
      hostile(a_process_of_a_slurm_job_is_of_no_other),
      hostile(the_wait_of_another_is_not_ended),
      hostile(of_others_only_sums_are_told),
      hostile(who_sends_what_is_no_message_is_cut_off),
      hostile(descriptors_that_are_sent_along_are_not_taken),
      hostile(a_user_has_so_many_connections_and_no_more),
      hostile(short_of_descriptors_it_goes_on),
      hostile(a_user_has_so_many_slots_and_waits_and_no_more),
      hostile(a_flood_is_read_later_and_others_at_once),
      hostile(who_never_reads_is_cut_off),
      hostile(who_never_greets_is_cut_off),
      hostile(neither_page_nor_liveness_file_can_be_misused),
      hostile(locks_on_ones_own_file_keep_nobody_alive_or_out),
      hostile(whatever_stands_in_a_page_the_region_is_right),
  };
  alarm(600);
  return cmocka_run_group_tests(tests, NULL, NULL);
}

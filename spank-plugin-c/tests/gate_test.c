/* gate_test.c - a task at the gate, in its own process, against a real region. */
#include "gate.h"
#include "testing.h"
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#define FIRST 41
#define SECOND 42
#define WAIT_MOST_ROUNDS 120000

static struct sg_node node;
static struct sg_plan *plan; /* shared with the task */
static char said[4096];

static schedgpu_admin *open_region(void) {
  schedgpu_admin *admin;
  char error[1024];
  int rc = sg_open_region(&node.conf, &node.devices, &admin, error, sizeof error);
  if (rc != SCHEDGPU_OK)
    print_error("%s\n", error);
  assert_int_equal(rc, SCHEDGPU_OK);
  return admin;
}

/** Begins a job that needs 10 of the 16 GiB of device 0. */
static void begin_job(uint64_t id, uint32_t mode, int64_t wait_ns) {
  struct schedgpu_job_spec spec = {.job_id = id,
                                   .kind = SCHEDGPU_JOB_SLURM,
                                   .uid = (uint32_t)getuid(),
                                   .mode = mode,
                                   .device_mask = 1,
                                   .wait_ns = wait_ns};
  schedgpu_admin *admin = open_region();
  spec.budget_bytes[0] = 10 * GIB;
  assert_int_equal(schedgpu_admin_job_begin(admin, &spec), 0);
  schedgpu_admin_close(admin);
}

static void end_job(uint64_t id) {
  schedgpu_admin *admin = open_region();
  assert_int_equal(schedgpu_admin_job_end(admin, SCHEDGPU_JOB_SLURM, id), 0);
  schedgpu_admin_close(admin);
}

static int set_up(void **state) {
  char error[1024];
  set_up_folder(state);
  int rc = sg_node_read(&node, in_folder("schedgpu.conf"), error, sizeof error);
  if (rc != SCHEDGPU_OK)
    print_error("%s\n", error);
  plan = mmap(NULL, sizeof *plan, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  assert_true(plan != MAP_FAILED);
  plan->gate = true;
  begin_job(FIRST, SCHEDGPU_MODE_GATE, SCHEDGPU_FOREVER);
  return rc;
}

static int tear_down(void **state) {
  munmap(plan, sizeof *plan);
  return remove_folder(state);
}

static void read_file(const char *path, char *text, size_t size) {
  FILE *file = fopen(path, "r");
  size_t length = file ? fread(text, 1, size - 1, file) : 0;
  text[length] = '\0';
  if (file)
    fclose(file);
}

/** Acts as the task. 0 if the plan did not change. */
static int be_task(uint64_t job, bool speak) {
  char before[64], after[64];
  assert_non_null(freopen(in_folder("stderr"), "w", stderr));
  read_file("/proc/self/comm", before, sizeof before);
  sg_gate_pass(&node, job, speak, plan);
  read_file("/proc/self/comm", after, sizeof after);
  return strcmp(before, after) == 0 && !schedgpu_is_attached() ? 0 : 1;
}

static pid_t start_task(uint64_t job, bool speak) {
  plan->fate = SG_FATE_SCHEDULED;
  plan->reason[0] = '\0';
  fflush(NULL);
  pid_t pid = fork();
  if (pid == 0)
    _exit(be_task(job, speak));
  return pid;
}

static void finish(pid_t pid) {
  int status;
  assert_int_equal(waitpid(pid, &status, 0), pid);
  assert_int_equal(status, 0);
  read_file(in_folder("stderr"), said, sizeof said);
}

static void pass(uint64_t job, bool speak) {
  finish(start_task(job, speak));
}

static void expect_fate(enum sg_fate fate, const char *reason) {
  if (plan->fate != fate || !strstr(plan->reason, reason))
    print_error("fate %d, reason: %s\n", plan->fate, plan->reason);
  assert_int_equal(plan->fate, fate);
  assert_non_null(strstr(plan->reason, reason));
}

static uint32_t waiting(void) {
  uint32_t count = 0;
  schedgpu_admin *admin = open_region();
  char *region = malloc(schedgpu_snapshot_size());
  assert_int_equal(schedgpu_admin_snapshot(admin, region, schedgpu_snapshot_size()), 0);
  for (int64_t i = 0; i < schedgpu_layout_find("waiter.count"); i++) {
    uint32_t state;
    memcpy(&state,
           region + schedgpu_layout_find("waiter.offset") +
               i * schedgpu_layout_find("waiter.stride") + schedgpu_layout_find("waiter.state"),
           sizeof state);
    count += state != 0;
  }
  free(region);
  schedgpu_admin_close(admin);
  return count;
}

/** Starts a task of the second job, and returns when it waits behind the first. */
static pid_t start_waiting(bool speak) {
  pass(FIRST, true);
  begin_job(SECOND, SCHEDGPU_MODE_GATE, SCHEDGPU_FOREVER);
  pid_t pid = start_task(SECOND, speak);
  for (int i = 0; waiting() != 1; i++) {
    assert_true(i < WAIT_MOST_ROUNDS);
    usleep(1000);
  }
  return pid;
}

static void an_open_gate_is_passed_in_silence(void **state) {
  (void)state;
  pass(FIRST, true);
  expect_fate(SG_FATE_SCHEDULED, "");
  assert_string_equal(said, "");
  pass(FIRST, true);
  expect_fate(SG_FATE_SCHEDULED, "");
  assert_string_equal(said, "");
}

static void the_budget_stays_with_the_job(void **state) {
  (void)state;
  pass(FIRST, true);
  begin_job(SECOND, SCHEDGPU_MODE_GATE, SCHEDGPU_NO_WAIT);
  pass(SECOND, true);
  expect_fate(SG_FATE_REFUSED, "its GPU memory is not free now, and it does not wait: ask for a "
                               "longer --schedgpu-wait");
  assert_string_equal(said, "");
  end_job(FIRST);
  pass(SECOND, true);
  expect_fate(SG_FATE_SCHEDULED, "");
}

static void a_task_waits_for_the_end_of_another_job_and_says_so(void **state) {
  (void)state;
  pid_t pid = start_waiting(true);
  end_job(FIRST);
  finish(pid);
  expect_fate(SG_FATE_SCHEDULED, "");
  assert_non_null(strstr(said, "schedgpu: waiting for 10.0 GiB on device 0, 5.5 GiB free: place 1 "
                               "in the queue; job 41 "));
  assert_non_null(strstr(said, "\nschedgpu: got 10.0 GiB on device 0 after "));
}

static void further_tasks_wait_in_silence(void **state) {
  (void)state;
  pid_t pid = start_waiting(false);
  end_job(FIRST);
  finish(pid);
  expect_fate(SG_FATE_SCHEDULED, "");
  assert_string_equal(said, "");
}

/** proctrack/linuxproc sends no signal to a process with the name of slurmstepd. */
static void a_waiting_process_has_its_own_name_and_can_be_ended(void **state) {
  (void)state;
  char path[64], name[64];
  int status;
  pid_t pid = start_waiting(true);
  snprintf(path, sizeof path, "/proc/%d/comm", (int)pid);
  read_file(path, name, sizeof name);
  assert_string_equal(name, "schedgpu-gate\n");
  kill(pid, SIGTERM);
  assert_int_equal(waitpid(pid, &status, 0), pid);
  assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
  end_job(SECOND);
  assert_int_equal(waiting(), 0);
}

static void a_wait_that_times_out_fails_the_job(void **state) {
  (void)state;
  pass(FIRST, true);
  begin_job(SECOND, SCHEDGPU_MODE_GATE, 1000000);
  pass(SECOND, true);
  expect_fate(SG_FATE_REFUSED, "10.0 GiB on device 0 did not become free within 0.0 s: ask for a "
                               "longer --schedgpu-wait");
  assert_ptr_equal(strchr(said, '\n'), said + strlen(said) - 1); /* one line, about the wait */
  assert_int_equal(waiting(), 0);
}

static void an_unusable_region_is_the_sites_choice(void **state) {
  (void)state;
  end_job(FIRST);
  pass(FIRST, true);
  expect_fate(SG_FATE_UNSCHEDULED, "reserving its GPU memory: ENOJOB: ");
  node.conf.refuse_on_failure = true;
  pass(FIRST, true);
  expect_fate(SG_FATE_REFUSED, "reserving its GPU memory: ENOJOB: ");
  strcpy(node.conf.run_dir, in_folder("nowhere"));
  pass(FIRST, true);
  expect_fate(SG_FATE_REFUSED, "reserving its GPU memory: ENOREGION: ");
}

static void without_a_gate_the_region_is_not_asked(void **state) {
  (void)state;
  end_job(FIRST);
  plan->gate = false;
  pass(FIRST, true);
  expect_fate(SG_FATE_SCHEDULED, "");
  plan->gate = true;
  plan->fate = SG_FATE_OFF;
  sg_gate_pass(&node, FIRST, true, plan);
  expect_fate(SG_FATE_OFF, "");
}

int main(void) {
#define UNIT(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      UNIT(an_open_gate_is_passed_in_silence),
      UNIT(the_budget_stays_with_the_job),
      UNIT(a_task_waits_for_the_end_of_another_job_and_says_so),
      UNIT(further_tasks_wait_in_silence),
      UNIT(a_waiting_process_has_its_own_name_and_can_be_ended),
      UNIT(a_wait_that_times_out_fails_the_job),
      UNIT(an_unusable_region_is_the_sites_choice),
      UNIT(without_a_gate_the_region_is_not_asked),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

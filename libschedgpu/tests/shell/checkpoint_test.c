/*
 * Which process writes the checkpoint when jobs begin and end: a live agent, once for many, else
 * each of them.
 */
#include "../support/node.h"
#include "../../shell/admin/admin_handle.h"
#include "../../shell/region/check.h"
#include "../../shell/region/run_dir.h"

#define ONDEMAND SCHEDGPU_MODE_ONDEMAND
#define FAR_NS INT64_C(3600000000000)

static void path_of(const struct node *n, const char *name, char *path) {
  assert_int_equal(sg_path(path, n->dir, name), SCHEDGPU_OK);
}

static bool is_there(const struct node *n, const char *name) {
  char path[PATH_MAX];
  path_of(n, name, path);
  return access(path, F_OK) == 0;
}

static bool is_saved(const struct node *n, uint64_t id) {
  struct sg_checkpoint *c = sg_checkpoint_load(n->dir, 0);
  struct sg_job saved;
  bool found = false;
  assert_non_null(c);
  for (uint32_t j = 0; j < SCHEDGPU_MAX_JOBS; j++)
    found |= sg_checkpoint_find(c, j, &saved) && saved.id == id;
  sg_checkpoint_free(c);
  return found;
}

static void is_agent(int write_fd, int read_fd) {
  schedgpu_admin *a;
  if (schedgpu_admin_open(getenv("SCHEDGPU_RUN_DIR"), &a) != SCHEDGPU_OK ||
      schedgpu_admin_answer(a) != SCHEDGPU_OK)
    _exit(3);
  send_byte(write_fd, 'l');
  receive_byte(read_fd);
}

static void only_reads(int write_fd, int read_fd) {
  char path[PATH_MAX];
  struct flock whole = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
  snprintf(path, sizeof path, "%s/" SG_ANSWER_LOCK, getenv("SCHEDGPU_RUN_DIR"));
  int fd = open(path, O_RDONLY);
  if (fd < 0 || fcntl(fd, F_SETLK, &whole) != 0)
    _exit(3);
  send_byte(write_fd, 'l');
  receive_byte(read_fd);
}

static struct child start(void (*body)(int write_fd, int read_fd)) {
  struct child c = child_start(0, body);
  assert_int_equal(receive_byte(c.from), 'l');
  return c;
}

static void end(struct node *n, uint64_t id) {
  assert_int_equal(schedgpu_admin_job_end(n->admin, SCHEDGPU_JOB_SLURM, id), SCHEDGPU_OK);
}

static void without_an_agent_each_begin_and_end_is_written(void **state) {
  (void)state;
  struct node n = node_new(0, 0);
  node_job(&n, 1, ONDEMAND, 0);
  assert_true(is_saved(&n, 1));
  end(&n, 1);
  assert_false(is_saved(&n, 1));
  assert_false(is_there(&n, SG_CHECKPOINT_DUE_FILE));
  node_free(&n);
}

static void asked_ago(const struct node *n, int64_t ns) {
  char path[PATH_MAX];
  struct timespec t[2];
  path_of(n, SG_CHECKPOINT_DUE_FILE, path);
  clock_gettime(CLOCK_REALTIME, &t[0]);
  t[0].tv_sec -= (time_t)(ns / INT64_C(1000000000));
  t[1] = t[0];
  assert_int_equal(utimensat(AT_FDCWD, path, t, 0), 0);
}

static void an_agent_writes_once_for_many(void **state) {
  (void)state;
  struct node n = node_new(0, 0);
  struct child agent = start(is_agent);
  node_job(&n, 1, ONDEMAND, 0);
  asked_ago(&n, 0); /* on a busy machine the last request may be too old */
  node_job(&n, 2, ONDEMAND, 0);
  asked_ago(&n, 0);
  node_job(&n, 3, ONDEMAND, 0);
  asked_ago(&n, 0);
  end(&n, 2);
  assert_true(is_there(&n, SG_CHECKPOINT_DUE_FILE));
  assert_false(is_saved(&n, 1));
  assert_int_equal(schedgpu_admin_answer(n.admin), SCHEDGPU_OK);
  assert_true(is_saved(&n, 1) && !is_saved(&n, 2) && is_saved(&n, 3));
  assert_false(is_there(&n, SG_CHECKPOINT_DUE_FILE));
  end(&n, 3); /* a process asks it again */
  assert_true(is_there(&n, SG_CHECKPOINT_DUE_FILE));
  child_kill(&agent);
  node_free(&n);
}

static void the_first_process_after_the_agents_death_writes_for_all(void **state) {
  (void)state;
  struct node n = node_new(0, 0);
  struct child agent = start(is_agent);
  node_job(&n, 1, ONDEMAND, 0);
  child_kill(&agent);
  assert_false(is_saved(&n, 1));
  node_job(&n, 2, ONDEMAND, 0);
  assert_true(is_saved(&n, 1) && is_saved(&n, 2));
  node_free(&n);
}

static void a_read_lock_is_not_an_agent(void **state) {
  (void)state;
  struct node n = node_new(0, 0);
  child_kill(&(struct child[]){start(is_agent)}[0]);
  struct child user = start(only_reads);
  node_job(&n, 1, ONDEMAND, 0);
  assert_true(is_saved(&n, 1));
  child_kill(&user);
  node_free(&n);
}

/** Also if the clock was set meanwhile. */
static void an_agent_that_does_not_answer_is_not_waited_for(void **state) {
  (void)state;
  struct node n = node_new(0, 0);
  struct child agent = start(is_agent);
  node_job(&n, 1, ONDEMAND, 0);
  asked_ago(&n, FAR_NS);
  node_job(&n, 2, ONDEMAND, 0);
  assert_true(is_saved(&n, 1) && is_saved(&n, 2));
  assert_true(
      is_there(&n, SG_CHECKPOINT_DUE_FILE)); /* so that the next process does not wait either */
  asked_ago(&n, -FAR_NS);
  end(&n, 1);
  assert_false(is_saved(&n, 1));
  child_kill(&agent);
  node_free(&n);
}

/** The agent ends jobs too, and stays the agent. */
static void an_agent_may_be_the_one_who_ends_jobs(void **state) {
  (void)state;
  struct node n = node_new(0, 0);
  assert_int_equal(schedgpu_admin_answer(n.admin), SCHEDGPU_OK);
  for (uint64_t id = 1; id <= 3; id++) {
    node_job(&n, id, ONDEMAND, 0);
    assert_true(is_there(&n, SG_CHECKPOINT_DUE_FILE) && !is_saved(&n, id));
    assert_int_equal(schedgpu_admin_answer(n.admin), SCHEDGPU_OK);
    assert_true(is_saved(&n, id));
  }
  schedgpu_admin_close(n.admin); /* there is no agent any more */
  assert_int_equal(schedgpu_admin_open(n.dir, &n.admin), SCHEDGPU_OK);
  end(&n, 1);
  assert_false(is_saved(&n, 1));
  node_free(&n);
}

static void nothing_is_written_without_a_change(void **state) {
  (void)state;
  char path[PATH_MAX];
  struct node n = node_new(0, 0);
  path_of(&n, SG_CHECKPOINT_FILE, path);
  assert_int_equal(unlink(path), 0);
  assert_int_equal(schedgpu_admin_answer(n.admin), SCHEDGPU_OK);
  assert_false(is_there(&n, SG_CHECKPOINT_FILE));
  node_free(&n);
}

static void a_failed_write_stays_due(void **state) {
  (void)state;
  int fd;
  struct node n = node_new(0, 0);
  struct child agent = start(is_agent);
  node_job(&n, 1, ONDEMAND, 0);
  assert_int_equal(sg_setup_lock(n.dir, 0, &fd), SCHEDGPU_OK); /* like a setup that hangs */
  assert_int_equal(schedgpu_admin_answer(n.admin), SCHEDGPU_ESYSTEM);
  sg_setup_unlock(fd);
  assert_true(is_there(&n, SG_CHECKPOINT_DUE_FILE) && !is_saved(&n, 1));
  assert_int_equal(schedgpu_admin_answer(n.admin), SCHEDGPU_OK);
  assert_true(is_saved(&n, 1));
  child_kill(&agent);
  node_free(&n);
}

int main(void) {
  alarm(600); /* a hang must end as a failure, not as a hang */
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(without_an_agent_each_begin_and_end_is_written),
      cmocka_unit_test(an_agent_writes_once_for_many),
      cmocka_unit_test(the_first_process_after_the_agents_death_writes_for_all),
      cmocka_unit_test(a_read_lock_is_not_an_agent),
      cmocka_unit_test(an_agent_that_does_not_answer_is_not_waited_for),
      cmocka_unit_test(an_agent_may_be_the_one_who_ends_jobs),
      cmocka_unit_test(nothing_is_written_without_a_change),
      cmocka_unit_test(a_failed_write_stays_due),
  };
  return cmocka_run_group_tests_name("checkpoint", tests, NULL, NULL);
}

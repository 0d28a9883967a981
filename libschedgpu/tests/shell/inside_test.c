/* A detach releases the slot only when no thread of the process uses its record. */
#include "../support/node.h"
#include "../../shell/client/self.h"
#include <pthread.h>

static void *detach_in_thread(void *argument) {
  (void)argument;
  return (void *)(intptr_t)schedgpu_detach();
}

/** Slot of the first active client record, SG_NONE if there is none. */
static uint32_t taken_by_newcomer(void) {
  fflush(NULL);
  pid_t pid = fork();
  if (pid == 0) {
    be_job(2);
    _exit(schedgpu_attach() == SCHEDGPU_OK ? (int)sg_self()->h.slot : 99);
  }
  int status;
  waitpid(pid, &status, 0);
  assert_true(WIFEXITED(status));
  return (uint32_t)WEXITSTATUS(status);
}

static void the_slot_of_a_thread_inside_is_not_reused(void **state) {
  (void)state;
  struct node n = node_new(0, 0);
  node_job(&n, 1, SCHEDGPU_MODE_PEAK, 4 * GIB);
  node_job(&n, 2, SCHEDGPU_MODE_PEAK, 4 * GIB);
  be_job(1);
  assert_int_equal(schedgpu_reserve(0, GIB, 0), SCHEDGPU_OK);
  uint32_t slot = sg_self()->h.slot;
  struct sg_client *record = sg_self_enter(sg_self()); /* like a reserve that was preempted */
  assert_non_null(record);
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, detach_in_thread, NULL), 0);
  while (schedgpu_is_attached())
    nap_ms(1);
  assert_int_not_equal(taken_by_newcomer(), slot);
  assert_false(sg_lease_take(record, 0, 1)); /* the rest of the reserve finds nothing */
  sg_self_exit(sg_self());
  void *rc;
  pthread_join(thread, &rc);
  assert_int_equal((intptr_t)rc, SCHEDGPU_OK);
  assert_int_equal(taken_by_newcomer(), slot);
  node_free(&n);
}

static void a_detached_process_gets_an_error(void **state) {
  (void)state;
  struct node n = node_new(0, 0);
  node_job(&n, 1, SCHEDGPU_MODE_PEAK, 4 * GIB);
  be_job(1);
  assert_int_equal(schedgpu_reserve(0, GIB, 0), SCHEDGPU_OK);
  assert_int_equal(schedgpu_release(0, 2 * GIB), SCHEDGPU_EUNDERFLOW);
  assert_int_equal(schedgpu_admin_job_end(n.admin, SCHEDGPU_JOB_SLURM, 1), SCHEDGPU_OK);
  assert_int_equal(schedgpu_release(0, GIB), SCHEDGPU_ENOJOB);
  assert_int_equal(schedgpu_detach(), SCHEDGPU_OK);
  assert_int_equal(schedgpu_release(0, GIB), SCHEDGPU_EUNDERFLOW);
  node_free(&n);
}

int main(void) {
  alarm(600);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_slot_of_a_thread_inside_is_not_reused),
      cmocka_unit_test(a_detached_process_gets_an_error),
  };
  return cmocka_run_group_tests_name("detaching beside other threads", tests, NULL, NULL);
}

/* A thread that waits knows which threads are inside, whether or not they have a reader slot. */
#include "../support/node.h"
#include "../../shell/client/reader_slots.h"
#include <linux/filter.h>
#include <linux/membarrier.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#define MANY (SG_READER_SLOTS + 8)

static struct sg_reader_slots *slots;
static pthread_barrier_t gate;
static _Atomic int left, trapped;

static int new_slots(void **state) {
  (void)state;
  slots = aligned_alloc(64, sizeof *slots);
  memset(slots, 0, sizeof *slots);
  sg_own_reader_slot = NULL; /* left by the test before */
  return 0;
}

static int free_slots(void **state) {
  (void)state;
  free(slots);
  return 0;
}

static void start(pthread_t *thread, void *(*body)(void *), void *argument) {
  assert_int_equal(pthread_create(thread, NULL, body, argument), 0);
}

/** From here on membarrier(2) acts as `action` says, for this thread. */
static void forbid_membarrier(uint32_t action) {
  struct sock_filter rules[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, action),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof rules / sizeof *rules, rules};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
    _exit(77);
}

/** The status of a forked child that runs `body`: its changes do not affect this process. */
static int in_child(int (*body)(void)) {
  int status;
  fflush(NULL);
  pid_t pid = fork();
  if (pid == 0) {
    alarm(600);
    _exit(body());
  }
  assert_int_equal(waitpid(pid, &status, 0), pid);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int enter_and_exit_counted(void) {
  forbid_membarrier(SECCOMP_RET_ERRNO | ENOSYS);
  sg_readers_enter(slots);
  if (sg_own_reader_slot || atomic_load(&slots->without_slot) != 1)
    return 1;
  sg_readers_exit(slots);
  if (atomic_load(&slots->without_slot) != 0)
    return 2;
  sg_readers_wait(slots);
  return 0;
}

/* The first test, because a process checks only once whether membarrier(2) exists. */
static void without_membarrier_threads_are_counted(void **state) {
  (void)state;
  assert_int_equal(in_child(enter_and_exit_counted), 0);
}

static void *be_inside_for_a_while(void *unused) {
  (void)unused;
  sg_readers_enter(slots);
  pthread_barrier_wait(&gate);
  nap_ms(20); /* a call that does not wait returns sooner */
  atomic_store(&left, 1);
  sg_readers_exit(slots);
  return NULL;
}

static void a_thread_inside_is_waited_for(void **state) {
  (void)state;
  pthread_t thread;
  pthread_barrier_init(&gate, NULL, 2);
  atomic_store(&left, 0);
  start(&thread, be_inside_for_a_while, NULL);
  pthread_barrier_wait(&gate);
  sg_readers_wait(slots);
  assert_int_equal(atomic_load(&left), 1);
  pthread_join(thread, NULL);
}

/** Set when a wait returned. */
static atomic_int returned;

/** Threads without a reader slot leave last: after a wait that did not include them, or after two
 * seconds. */
static void *be_inside_together(void *unused) {
  (void)unused;
  sg_readers_enter(slots);
  pthread_barrier_wait(&gate);
  pthread_barrier_wait(&gate);
  for (int i = 0; !sg_own_reader_slot && i < 100 && !atomic_load(&returned); i++)
    nap_ms(20);
  sg_readers_exit(slots);
  return NULL;
}

static uint32_t sitting_inside(void) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < SG_READER_SLOTS; i++)
    n += atomic_load(&slots->slot[i].inside);
  return n;
}

static void a_thread_without_a_reader_slot_is_counted(void **state) {
  (void)state;
  pthread_t thread[MANY];
  pthread_barrier_init(&gate, NULL, MANY + 1);
  for (uint32_t i = 0; i < MANY; i++)
    start(&thread[i], be_inside_together, NULL);
  pthread_barrier_wait(&gate);
  uint32_t sitting = sitting_inside(), standing = atomic_load(&slots->without_slot);
  atomic_store(&returned, 0);
  pthread_barrier_wait(&gate);
  sg_readers_wait(slots);
  uint32_t inside = sitting_inside() + atomic_load(&slots->without_slot);
  atomic_store(&returned, 1);
  assert_int_equal(inside, 0);
  for (uint32_t i = 0; i < MANY; i++)
    pthread_join(thread[i], NULL);
  assert_int_equal(sitting, SG_READER_SLOTS);
  assert_int_equal(standing, MANY - SG_READER_SLOTS);
}

static void *sit_and_leave(void *unused) {
  (void)unused;
  sg_readers_enter(slots);
  bool sits = sg_own_reader_slot != NULL;
  sg_readers_exit(slots);
  return (void *)(uintptr_t)sits;
}

static void reader_slots_of_ended_threads_are_reused(void **state) {
  (void)state;
  for (uint32_t i = 0; i < 3 * SG_READER_SLOTS; i++) {
    pthread_t thread;
    void *sits;
    start(&thread, sit_and_leave, NULL);
    pthread_join(thread, &sits);
    assert_non_null(sits);
  }
}

static void *end_inside(void *unused) {
  (void)unused;
  sg_readers_enter(slots);
  return NULL;
}

static void a_thread_that_ended_inside_is_not_waited_for(void **state) {
  (void)state;
  pthread_t thread;
  start(&thread, end_inside, NULL);
  pthread_join(thread, NULL);
  sg_readers_wait(slots);
}

static int sit_beside_another_thread(void) {
  pthread_t thread;
  memset(slots, 0, sizeof *slots); /* as the kernel wipes the page */
  pthread_barrier_init(&gate, NULL, 2);
  start(&thread, be_inside_together, NULL);
  pthread_barrier_wait(&gate);
  sg_readers_enter(slots);
  bool alone = sg_own_reader_slot && atomic_load(&sg_own_reader_slot->inside) == 1;
  sg_readers_exit(slots);
  bool still = sitting_inside() == 1;
  pthread_barrier_wait(&gate);
  pthread_join(thread, NULL);
  return alone && still && sitting_inside() == 0 ? 0 : 1;
}

static void a_forked_child_takes_its_own_reader_slot(void **state) {
  (void)state;
  sg_readers_enter(slots);
  sg_readers_exit(slots);
  assert_ptr_equal(sg_own_reader_slot, &slots->slot[0]);
  assert_int_equal(in_child(sit_beside_another_thread), 0);
}

static void note_trap(int unused) {
  (void)unused;
  atomic_fetch_add(&trapped, 1);
}

static int wait_with_trapped_membarrier(void) {
  pthread_t thread;
  pthread_barrier_init(&gate, NULL, 2);
  start(&thread, be_inside_together, NULL);
  pthread_barrier_wait(&gate);
  signal(SIGSYS, note_trap);
  forbid_membarrier(SECCOMP_RET_TRAP);
  pthread_barrier_wait(&gate);
  sg_readers_wait(slots);
  pthread_join(thread, NULL);
  return atomic_load(&trapped) > 0 ? 0 : 1;
}

static void a_waiter_makes_the_other_threads_pass_a_barrier(void **state) {
  (void)state;
  assert_int_equal(in_child(wait_with_trapped_membarrier), 0);
}

/* --- launches --- */

static int launch_counted(void) {
  forbid_membarrier(SECCOMP_RET_ERRNO | ENOSYS);
  sg_launch_begin(slots);
  if (sg_own_reader_slot || !sg_launches_any(slots))
    return 1;
  sg_launch_end(slots);
  if (sg_launches_any(slots) || sg_launches_count(slots) == 0)
    return 2;
  sg_launches_wait(slots);
  return 0;
}

static void without_membarrier_launches_are_counted(void **state) {
  (void)state;
  assert_int_equal(in_child(launch_counted), 0);
}

static void *launch_for_a_while(void *unused) {
  (void)unused;
  sg_launch_begin(slots);
  pthread_barrier_wait(&gate);
  nap_ms(20); /* a call that does not wait returns sooner */
  atomic_store(&left, 1);
  sg_launch_end(slots);
  return NULL;
}

static void a_launch_is_waited_for(void **state) {
  (void)state;
  pthread_t thread;
  pthread_barrier_init(&gate, NULL, 2);
  atomic_store(&left, 0);
  start(&thread, launch_for_a_while, NULL);
  pthread_barrier_wait(&gate);
  sg_readers_wait(slots); /* it does not use the record */
  assert_int_equal(atomic_load(&left), 0);
  sg_launches_wait(slots);
  assert_int_equal(atomic_load(&left), 1);
  pthread_join(thread, NULL);
}

static void each_launch_changes_the_count(void **state) {
  (void)state;
  uint32_t before = sg_launches_count(slots);
  sg_launch_begin(slots);
  assert_true(sg_launches_any(slots));
  sg_launch_end(slots);
  assert_false(sg_launches_any(slots));
  assert_int_not_equal(sg_launches_count(slots), before);
}

static void *end_in_a_launch(void *unused) {
  (void)unused;
  sg_launch_begin(slots);
  return NULL;
}

static void a_thread_that_ended_in_a_launch_is_not_waited_for(void **state) {
  (void)state;
  pthread_t thread;
  start(&thread, end_in_a_launch, NULL);
  pthread_join(thread, NULL);
  sg_launches_wait(slots);
}

/** A thread that takes the slot of one that ended in a launch is not in a launch. */
static void a_slot_begins_outside_of_a_launch(void **state) {
  (void)state;
  sg_readers_enter(slots);
  sg_readers_exit(slots);
  atomic_store(&sg_own_reader_slot->launch, 1);
  sg_own_reader_slot = NULL; /* as another thread with the same id */
  sg_readers_enter(slots);
  sg_readers_exit(slots);
  assert_ptr_equal(sg_own_reader_slot, &slots->slot[0]);
  assert_false(sg_launches_any(slots));
}

#define SLOTS_TEST(f) cmocka_unit_test_setup_teardown(f, new_slots, free_slots)

int main(void) {
  alarm(600);
  const struct CMUnitTest tests[] = {
      SLOTS_TEST(without_membarrier_threads_are_counted),
      SLOTS_TEST(without_membarrier_launches_are_counted),
      SLOTS_TEST(a_thread_inside_is_waited_for),
      SLOTS_TEST(a_thread_without_a_reader_slot_is_counted),
      SLOTS_TEST(reader_slots_of_ended_threads_are_reused),
      SLOTS_TEST(a_thread_that_ended_inside_is_not_waited_for),
      SLOTS_TEST(a_forked_child_takes_its_own_reader_slot),
      SLOTS_TEST(a_launch_is_waited_for),
      SLOTS_TEST(each_launch_changes_the_count),
      SLOTS_TEST(a_thread_that_ended_in_a_launch_is_not_waited_for),
      SLOTS_TEST(a_slot_begins_outside_of_a_launch),
      SLOTS_TEST(a_waiter_makes_the_other_threads_pass_a_barrier),
  };
  return cmocka_run_group_tests_name("who is inside", tests, NULL, NULL);
}

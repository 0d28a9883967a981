/* pages_test.c - users who misuse their client page and liveness file. */
#include "hostile.h"

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

/** Takes every possible lock on its own file: no other process loses a slot by that. */
static int locks_all_it_can(int write_fd) {
  struct sg_wire_answer a;
  int fds[2];
  raw_attach(1, &a, fds, NULL);
  struct flock all = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
  EXPECT(fcntl(fds[0], F_OFD_SETLK, &all) == 0);
  send_byte(write_fd, 'h');
  pause();
  return 0;
}

static void locks_on_the_own_file_affect_no_other_process(void **state) {
  (void)state;
  struct child greedy = hostile_start(ALICE, locks_all_it_can), user = user_start(BOB, 2);
  does(user, 'r', SCHEDGPU_OK);
  child_kill(&user);
  await_used(&node, 0);
  child_kill(&greedy);
}

/** Claims in its page to use more than it was given, then nothing, then anything. */
static int overwrites_its_page(int write_fd) {
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
      send_byte(write_fd, 'h');
  }
}

static void any_content_of_a_page_leaves_the_region_right(void **state) {
  (void)state;
  struct child writer = hostile_start(ALICE, overwrites_its_page);
  struct child user = user_start(BOB, 2);
  for (int i = 0; i < 50; i++) {
    send_command(&user, 'n');
    send_command(&user, 'g');
    node_check(&node);
  }
  child_kill(&user);
  child_kill(&writer);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      hostile(neither_page_nor_liveness_file_can_be_misused),
      hostile(locks_on_the_own_file_affect_no_other_process),
      hostile(any_content_of_a_page_leaves_the_region_right),
  };
  alarm(600);
  return cmocka_run_group_tests(tests, NULL, NULL);
}

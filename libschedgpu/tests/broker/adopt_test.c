/*
 * adopt_test.c - how a new agent finds the client pages of the earlier one: what it opens, how far
 * it searches, and that a process that blocks the search delays no other user.
 */
#include "raw.h"
#include <sys/inotify.h>

/* The real search, and one that a process of Alice's can block. */
#include "../../broker/find_pages.h"
static uint32_t find_pages_really(int32_t pid, int pidfd, struct sg_wanted *wanted, uint32_t count,
                                  bool *denied);
#define sg_find_pages find_pages_really
#include "../../broker/find_pages.c"
#undef sg_find_pages

static uint32_t blocking_uid;

static uid_t owner_of(int32_t pid) {
  char path[32];
  struct stat st;
  snprintf(path, sizeof path, "/proc/%d", pid);
  return stat(path, &st) == 0 ? st.st_uid : 0;
}

uint32_t sg_find_pages(int32_t pid, int pidfd, struct sg_wanted *wanted, uint32_t count,
                       bool *denied) {
  while (blocking_uid != 0 && owner_of(pid) == blocking_uid)
    pause();
  return find_pages_really(pid, pidfd, wanted, count, denied);
}

/** Lets Alice and Bob free what they held while no agent runs. */
static void idle_without_agent(struct node *n, struct child *alice, struct child *bob) {
  *n = closed_node(0, 0);
  job_of(n, 1, ALICE, PEAK, 3 * GIB);
  job_of(n, 2, BOB, PEAK, 6 * GIB);
  job_of(n, 3, BOB + 1, PEAK, 6 * GIB);
  struct child agent = agent_start();
  *alice = user_start(ALICE, 1);
  *bob = user_start(BOB, 2);
  does(*alice, '1', SCHEDGPU_OK);
  does(*bob, '1', SCHEDGPU_OK);
  child_kill(&agent);
  does(*bob, 'f', SCHEDGPU_OK);
}

static void a_blocked_search_does_not_delay_other_users(void **state) {
  (void)state;
  struct node n;
  struct child alice, bob;
  idle_without_agent(&n, &alice, &bob);
  blocking_uid = ALICE;
  agent_searches_first = false;
  struct child agent = agent_start();
  struct child carol = user_start(BOB + 1, 3);
  does(carol, '1', SCHEDGPU_OK); /* Bob has freed it, and sends nothing */
  does(alice, 'f', SCHEDGPU_OK); /* Alice connects by herself */
  blocking_uid = 0;
  agent_searches_first = true;
  child_kill(&carol);
  child_kill(&alice);
  child_kill(&bob);
  child_kill(&agent);
  node_free(&n);
}

/** An agent that reports how many clients it did not find, and whether it was denied access. */
static void counting_agent(int write_fd, int read_fd) {
  schedgpu_broker *b;
  pthread_t thread;
  agent_says = write_fd;
  agent_receives = read_fd;
  unit_confine(agent_lacks, 0);
  if (schedgpu_broker_open(getenv("SCHEDGPU_RUN_DIR"), NULL, &b) != SCHEDGPU_OK)
    _exit(3);
  pthread_create(&thread, NULL, obey_commands, b);
  schedgpu_broker_run(b);
  const char *const names[] = {"adopted", "not_adopted", "adoption_denied"};
  for (int i = 0; i < 3; i++)
    send_byte(write_fd, (char)('0' + schedgpu_broker_count(b, names[i])));
  _exit(0);
}

static void expect_counts(int adopted, int not_adopted, int denied) {
  struct child agent = child_start(0, counting_agent);
  assert_int_equal(receive_byte(agent.from), 'u');
  send_byte(agent.to, 's');
  assert_int_equal(receive_byte(agent.from), '0' + adopted);
  assert_int_equal(receive_byte(agent.from), '0' + not_adopted);
  assert_int_equal(receive_byte(agent.from), '0' + denied);
  child_kill(&agent);
}

static void a_search_that_is_denied_is_counted(void **state) {
  (void)state;
  struct node n;
  struct child alice, bob;
  idle_without_agent(&n, &alice, &bob);
  agent_lacks = "CAP_CHECKPOINT_RESTORE";
  expect_counts(0, 2, 1);
  agent_lacks = NULL;
  expect_counts(2, 0, 0);
  child_kill(&alice);
  child_kill(&bob);
  node_free(&n);
}

/* --- what a process may map in place of its page --- */

static char shown_path[PATH_MAX];

/** A file of 4 KiB, mapped as a page is. */
static void *show(int fd) {
  if (fd < 0 || ftruncate(fd, SG_PAGE_SIZE) != 0)
    _exit(3);
  void *p = mmap(NULL, SG_PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (p == MAP_FAILED)
    _exit(4);
  return p;
}

/** A sealed page that names slot 100, but was created by the user. */
static void shows_a_page_of_its_own(int write_fd, int read_fd) {
  become(ALICE);
  prctl(PR_SET_DUMPABLE, 1);
  int fd = memfd_create(SG_PAGE_NAME, MFD_CLOEXEC | MFD_ALLOW_SEALING);
  struct sg_page *page = show(fd);
  page->slot = 100;
  fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
  send_byte(write_fd, 's');
  receive_byte(read_fd);
}

static void shows_a_file(int write_fd, int read_fd) {
  show(open(shown_path, O_RDWR | O_CREAT, 0600));
  send_byte(write_fd, 's');
  receive_byte(read_fd);
}

static void shows_a_page(int write_fd, int read_fd) {
  int fd = memfd_create(SG_PAGE_NAME, MFD_CLOEXEC | MFD_ALLOW_SEALING);
  struct sg_page *page = show(fd);
  page->slot = 100;
  fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
  send_byte(write_fd, 's');
  receive_byte(read_fd);
}

/** Many other mappings before the page, so that the search stops at its limit. */
static void shows_a_page_behind_too_much(int write_fd, int read_fd) {
  enum { FILES = 3000, FOLDERS = 15, NAME = 250 };
  char name[NAME + 1] = {0};
  memset(name, 'x', NAME);
  int fd = memfd_create(SG_PAGE_NAME, MFD_CLOEXEC | MFD_ALLOW_SEALING);
  struct sg_page *page = show(fd); /* the page first: the kernel gives out addresses from the top */
  page->slot = 100;
  fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
  if (chdir(shown_path) != 0)
    _exit(5);
  for (int i = 0; i < FOLDERS; i++)
    if (mkdir(name, 0700) != 0 || chdir(name) != 0)
      _exit(6);
  int file = open("f", O_RDWR | O_CREAT, 0600);
  if (file < 0 || ftruncate(file, SG_PAGE_SIZE) != 0)
    _exit(7);
  for (int i = 0; i < FILES; i++) /* the same offset, so that the kernel does not merge them */
    if (mmap(NULL, SG_PAGE_SIZE, PROT_READ, MAP_SHARED, file, 0) == MAP_FAILED)
      _exit(8);
  send_byte(write_fd, 's');
  receive_byte(read_fd);
}

static uint32_t pages_found(const struct child *c) {
  struct sg_wanted wanted = {.slot = 100};
  bool denied = false;
  int pidfd = sg_pidfd_open(c->pid);
  uint32_t found = find_pages_really(c->pid, pidfd, &wanted, 1, &denied);
  sg_forget_pages(&wanted, 1);
  close(pidfd);
  assert_false(denied);
  return found;
}

static void expect_pages(void (*body)(int, int), uint32_t count) {
  struct child c = child_start(0, body);
  assert_int_equal(receive_byte(c.from), 's');
  assert_int_equal(pages_found(&c), count);
  child_kill(&c);
}

static void a_page_of_the_agent_is_found(void **state) {
  (void)state;
  expect_pages(shows_a_page, 1);
}

static void a_page_that_a_user_made_is_ignored(void **state) {
  (void)state;
  expect_pages(shows_a_page_of_its_own, 0);
}

static void temporary_folder(char *path) {
  snprintf(path, PATH_MAX, "/dev/shm/schedgpu-adopt.XXXXXX");
  assert_non_null(mkdtemp(path));
}

static void remove_folder(const char *path) {
  char command[PATH_MAX + 16];
  snprintf(command, sizeof command, "rm -rf %s", path);
  assert_int_equal(system(command), 0);
}

/** Opening a file can have effects: of a device, or of a file that a process watches. */
static void memory_that_is_not_a_page_is_not_opened(void **state) {
  (void)state;
  char folder[PATH_MAX], event[4096];
  temporary_folder(folder);
  assert_true((size_t)snprintf(shown_path, sizeof shown_path, "%.64s/memfd:" SG_PAGE_NAME " x",
                               folder) < sizeof shown_path);
  struct child c = child_start(0, shows_a_file);
  assert_int_equal(receive_byte(c.from), 's');
  int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  assert_true(inotify_add_watch(watch, shown_path, IN_OPEN) >= 0);
  assert_int_equal(pages_found(&c), 0);
  assert_true(read(watch, event, sizeof event) < 0 && errno == EAGAIN);
  close(watch);
  child_kill(&c);
  remove_folder(folder);
}

static void a_search_is_bounded(void **state) {
  (void)state;
  char folder[PATH_MAX];
  temporary_folder(folder);
  snprintf(shown_path, sizeof shown_path, "%s", folder);
  expect_pages(shows_a_page_behind_too_much, 0);
  remove_folder(folder);
}

int main(void) {
  if (geteuid() != 0) {
    printf("[  SKIPPED ] because other users are needed: only root can be them\n");
    return 0;
  }
  alarm(300);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_blocked_search_does_not_delay_other_users),
      cmocka_unit_test(a_search_that_is_denied_is_counted),
      cmocka_unit_test(a_page_of_the_agent_is_found),
      cmocka_unit_test(a_page_that_a_user_made_is_ignored),
      cmocka_unit_test(memory_that_is_not_a_page_is_not_opened),
      cmocka_unit_test(a_search_is_bounded),
  };
  return cmocka_run_group_tests_name("adopt", tests, NULL, NULL);
}

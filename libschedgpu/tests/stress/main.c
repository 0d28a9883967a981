/*
 * main.c - forty processes on one region, disturbed.
 *
 *   stress [-t 10m | -n LIVES] [-o FOLDER]     SG_SEED=... repeats the decisions of a run
 *
 * Exit code 0: every check held, all the time and at the end. 1: FOLDER says what did not. 130:
 * interrupted before the end.
 */
#include "controller.h"
#include "worker.h"
#include "../support/node.h"
#include <sys/prctl.h>

/* the holder may be a process that the test has stopped */
#define LOCK_TIMEOUT_NS INT64_C(50000000)
#define QUIET_EVERY_NS UINT64_C(2500000000)
#define WATCH_EVERY_NS UINT64_C(5000000)

struct goal {
  int64_t ns;
  uint64_t lives; /**< 0: the run ends by time */
  char text[64];
  const char *folder;
};

static volatile sig_atomic_t interrupted;

static void on_interrupt(int number) {
  (void)number;
  interrupted = 1;
}

static bool parse(int argc, char **argv, struct goal *goal) {
  int option;
  *goal = (struct goal){.ns = INT64_C(60000000000), .text = "60s", .folder = "target/stress"};
  while ((option = getopt(argc, argv, "t:n:o:")) != -1) {
    if (option == 't' && schedgpu_parse_time(optarg, &goal->ns) == SCHEDGPU_OK && goal->ns > 0)
      snprintf(goal->text, sizeof goal->text, "%s", optarg);
    else if (option == 'n' && (goal->lives = strtoull(optarg, NULL, 10)) > 0)
      snprintf(goal->text, sizeof goal->text, "%s lives", optarg);
    else if (option == 'o')
      goal->folder = optarg;
    else
      return false;
  }
  return optind == argc;
}

static bool reached(const struct controller *t, const struct goal *goal) {
  if (goal->lives > 0)
    return page_tally(t->page, TALLY_LIVES) >= goal->lives;
  return now_ns() - t->start_ns >= (uint64_t)goal->ns;
}

static uint64_t choose_seed(void) {
  const char *text = getenv("SG_SEED");
  return text ? strtoull(text, NULL, 10) : now_ns() % 1000000007;
}

/** The node has one device; two more are added, as if found later. */
static void add_devices(const struct node *n) {
  struct schedgpu_setup s = fixture_setup(DEVICES, DEVICE_BYTES, 0, SCHEDGPU_POLICY_FIFO);
  for (uint32_t d = 0; d < DEVICES; d++)
    s.device[d].context_bytes = context_bytes(d);
  assert_int_equal(schedgpu_admin_setup(n->dir, &s), SCHEDGPU_OK);
}

static struct sg_region *new_snapshot(void) {
  struct sg_region *r = aligned_alloc(64, (schedgpu_snapshot_size() + 63) / 64 * 64);
  assert_non_null(r);
  return r;
}

static void prepare(struct controller *t, const struct node *n, struct page *page) {
  *t = (struct controller){.page = page, .admin = n->admin, .start_ns = now_ns()};
  t->snapshot = new_snapshot();
  t->later = new_snapshot();
  t->namespace_fd = open("/proc/self/ns/pid", O_RDONLY | O_CLOEXEC);
  t->dice = dice_of(page->seed, 0, 0);
  t->progress_ns = t->start_ns;
  snprintf(page->run_dir, sizeof page->run_dir, "%s", n->dir);
  schedgpu_admin_set_timeout(n->admin, LOCK_TIMEOUT_NS);
  assert_true(t->namespace_fd >= 0);
  assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
  signal(SIGINT, on_interrupt);
  signal(SIGTERM, on_interrupt);
}

static void disturb_for(struct controller *t, uint64_t ns, const struct goal *goal) {
  uint64_t end = now_ns() + ns, watched_ns = 0;
  while (now_ns() < end && !reached(t, goal) && !interrupted && !page_failed(t->page)) {
    nap_us(100 + dice_below(&t->dice, 1200));
    processes_reap(t);
    processes_start_missing(t);
    processes_continue(t, false);
    board_settle(t);
    disturb(t);
    watch_devices(t);
    watch_progress(t, "under disturb");
    report_progress(t, false);
    if (now_ns() - watched_ns < WATCH_EVERY_NS)
      continue;
    watch_region(t);
    watched_ns = now_ns();
  }
}

/** Kills every process in the middle of its work; nothing may be left. */
static void end_all(struct controller *t) {
  char text[200] = "";
  processes_continue(t, true);
  if (!processes_end_all(t)) {
    page_fail(t->page, "somebody cannot be killed");
    return;
  }
  schedgpu_admin_set_timeout(t->admin, (int64_t)HANG_NS);
  if (!board_clear(t) || !watch_nothing_held(t, text, sizeof text))
    page_fail(t->page, "at the end: %s", text);
  watch_region(t);
  watch_end(t);
}

static void run(struct controller *t, const struct goal *goal) {
  uint32_t kind = (uint32_t)dice_below(&t->dice, QUIETS);
  for (uint32_t i = 0; i < PLACES; i++)
    board_churn(t, i);
  while (!reached(t, goal) && !interrupted && !page_failed(t->page)) {
    disturb_for(t, QUIET_EVERY_NS / 2 + dice_below(&t->dice, QUIET_EVERY_NS), goal);
    if (!page_failed(t->page))
      quiet_phase(t, (enum quiet)(kind++ % QUIETS));
  }
  if (page_failed(t->page))
    return;
  disturb_for(t, QUIET_EVERY_NS / 4, &(struct goal){.ns = INT64_MAX});
  if (!page_failed(t->page))
    end_all(t);
}

static int stress_node(const struct goal *goal) {
  struct controller t;
  char text[200];
  const char *no_namespaces = "";
  struct page *page = page_new(choose_seed());
  assert_non_null(page);
  page->single = page->seed % 3 == 1;
  page->namespaces = processes_may_have_namespaces(&no_namespaces);
  bool grace = page->seed % 4 == 0;
  struct node n = node_new(0, grace ? 2000000 : 0);
  add_devices(&n);
  prepare(&t, &n, page);
  t.grace = grace;
  report_head(&t, goal->text, no_namespaces);
  run(&t, goal);
  report_progress(&t, true);
  bool failed = page_failed(page);
  report_table(&t);
  if (failed) {
    report_failure(&t, goal->folder);
    processes_continue(&t, true);
    processes_end_all(&t);
  }
  free(t.snapshot);
  free(t.later);
  page_free(page);
  printf("stress: %s\n", failed        ? "FAILED"
                         : interrupted ? "interrupted; every check held so far"
                                       : "passed");
  fflush(stdout);
  if (schedgpu_admin_check(n.admin, text, sizeof text) == SCHEDGPU_OK)
    node_free(&n);
  else
    printf("stress: left behind, as it is still broken: %s\n", n.dir);
  return failed ? 1 : interrupted ? 130 : 0;
}

int main(int argc, char **argv) {
  struct goal goal;
  if (argc == 4 && strcmp(argv[1], "--again") == 0)
    worker_run_again(argv[2], (uint32_t)strtoul(argv[3], NULL, 10));
  if (!parse(argc, argv, &goal)) {
    fprintf(stderr, "usage: stress [-t 60s | -n LIVES] [-o FOLDER]\n");
    return 2;
  }
  return stress_node(&goal);
}

/*
 * crowd.c - the processes of the standing jobs, as many as the region has slots. Each reserves its
 * share, holds it for a while, releases it to the next waiter, and waits again. Some are killed; a
 * new process then takes the place. A keeper process starts them all, so that the process that
 * starts the hooks has few children.
 */
#include "full_node.h"
#include <linux/futex.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define ATTACHING_AT_ONCE 32u
#define PATIENCE_NS (300 * NS_PER_S)

struct keeper {
  const struct settings *settings;
  struct crowd_page *page;
  uint64_t dice;
  pid_t pid[MEMBERS];
};

static uint64_t next_dice(uint64_t *dice) {
  *dice = *dice * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return *dice >> 33;
}

/** Waits until the end is announced, for at most `ns`. */
static void hold_for(struct crowd_page *page, uint64_t ns) {
  struct timespec t = {(time_t)(ns / NS_PER_S), (long)(ns % NS_PER_S)};
  syscall(SYS_futex, &page->ending, FUTEX_WAIT, 0, &t, NULL, 0);
}

/** The slot of a killed process becomes free only after a reap: tries again until then. */
static void attach_in_time(void) {
  uint64_t give_up_ns = now_ns() + PATIENCE_NS;
  int rc = schedgpu_attach();
  while ((rc == SCHEDGPU_EFULL || rc == SCHEDGPU_ELOCK) && now_ns() < give_up_ns) {
    sleep_ns(5 * NS_PER_MS);
    rc = schedgpu_attach();
  }
  if (rc != SCHEDGPU_OK)
    fprintf(stderr, "full-node: attach: %s\n", schedgpu_strerror(rc));
  MUST(rc == SCHEDGPU_OK);
}

static int reserve_once(struct crowd_page *page) {
  int rc = schedgpu_reserve(0, SHARE_BYTES, SCHEDGPU_NO_WAIT);
  if (rc == SCHEDGPU_EWOULDBLOCK) {
    rc = schedgpu_reserve(0, SHARE_BYTES, SCHEDGPU_FOREVER);
    atomic_fetch_add(&page->waited, rc == SCHEDGPU_OK);
  }
  return rc;
}

/** On a busy machine the lock may not come in time: counts that and tries again. */
static void take_turn(struct crowd_page *page) {
  int rc = reserve_once(page);
  for (; rc == SCHEDGPU_ELOCK; rc = reserve_once(page))
    atomic_fetch_add(&page->locked_out, 1);
  if (rc != SCHEDGPU_OK)
    fprintf(stderr, "full-node: reserve: %s\n", schedgpu_strerror(rc));
  MUST(rc == SCHEDGPU_OK);
  atomic_fetch_add(&page->turns, 1);
}

static void be_member(const struct keeper *keeper, uint32_t number) {
  uint64_t dice = number + UINT64_C(1) + now_ns(), mean_ns = keeper->settings->turn_ns;
  uint32_t device = number % DEVICES, of_device = number / DEVICES % JOBS_PER_DEVICE;
  be_job(FIRST_STANDING_JOB + device * JOBS_PER_DEVICE + of_device);
  attach_in_time();
  atomic_fetch_add(&keeper->page->attached, 1);
  while (!atomic_load(&keeper->page->ending)) {
    take_turn(keeper->page);
    hold_for(keeper->page, mean_ns / 2 + next_dice(&dice) % (mean_ns + 1));
    release_or_die(SHARE_BYTES);
  }
  schedgpu_detach();
}

/** Starts a process in its own group, so that signals for other programs do not reach it. */
static void start(struct keeper *keeper, uint32_t number) {
  pid_t pid = fork();
  MUST(pid >= 0);
  if (pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    be_member(keeper, number);
    _exit(0);
  }
  keeper->pid[number] = pid;
}

static void start_all(struct keeper *keeper) {
  for (uint32_t i = 0; i < MEMBERS; i++) {
    start(keeper, i);
    while (atomic_load(&keeper->page->attached) + ATTACHING_AT_ONCE < i)
      sleep_ns(NS_PER_MS);
  }
}

static void replace_one(struct keeper *keeper) {
  uint32_t number = (uint32_t)(next_dice(&keeper->dice) % MEMBERS);
  kill(keeper->pid[number], SIGKILL);
  MUST(waitpid(keeper->pid[number], NULL, 0) == keeper->pid[number]);
  atomic_fetch_add(&keeper->page->deaths, 1);
  start(keeper, number);
}

static void await_all(struct keeper *keeper) {
  for (uint32_t i = 0; i < MEMBERS; i++) {
    int status;
    MUST(waitpid(keeper->pid[i], &status, 0) == keeper->pid[i]);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
      atomic_fetch_add(&keeper->page->failed, 1);
  }
}

static void be_keeper(void *argument) {
  struct keeper *keeper = argument;
  char log[PATH_MAX];
  setpgid(0, 0); /* Ctrl-C is for the parent process */
  snprintf(log, sizeof log, "%s/processes.log", keeper->settings->folder);
  MUST(freopen(log, "w", stderr));
  start_all(keeper);
  while (!atomic_load(&keeper->page->ending)) {
    hold_for(keeper->page, keeper->settings->death_every_ns);
    if (!atomic_load(&keeper->page->ending))
      replace_one(keeper);
  }
  await_all(keeper);
}

static void begin_jobs(struct node *node) {
  for (uint32_t device = 0; device < DEVICES; device++)
    for (uint32_t i = 0; i < JOBS_PER_DEVICE; i++) {
      uint32_t id = FIRST_STANDING_JOB + device * JOBS_PER_DEVICE + i;
      struct schedgpu_job_spec spec = job_spec(id, SCHEDGPU_MODE_ONDEMAND, 0, 50);
      spec.uid = (uint32_t)getuid();
      spec.device_mask = 1u << device;
      MUST(schedgpu_admin_job_begin(node->admin, &spec) == SCHEDGPU_OK);
    }
}

struct crowd crowd_start(const struct settings *settings, struct node *node) {
  static struct keeper keeper;
  keeper =
      (struct keeper){.settings = settings, .page = shared_new(sizeof *keeper.page), .dice = 7};
  begin_jobs(node);
  struct crowd crowd = {process_start(be_keeper, &keeper), keeper.page};
  while (atomic_load(&crowd.page->attached) < MEMBERS &&
         waitpid(crowd.pid, NULL, WNOHANG | WNOWAIT) == 0)
    sleep_ns(10 * NS_PER_MS);
  return crowd;
}

bool crowd_end(struct crowd *crowd) {
  int status;
  atomic_store(&crowd->page->ending, 1);
  syscall(SYS_futex, &crowd->page->ending, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
  MUST(waitpid(crowd->pid, &status, 0) == crowd->pid);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 && atomic_load(&crowd->page->failed) == 0;
}

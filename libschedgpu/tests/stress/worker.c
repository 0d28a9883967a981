/* worker.c - one life of a process: it attaches in some way, works, and ends in some way. */
#include "worker.h"
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

static void note_wait(const struct schedgpu_wait_notice *notice, void *worker) {
  struct worker *w = worker;
  if (notice->lock_holder_pid)
    return;
  atomic_fetch_add(&w->entry->asleep, notice->ended ? UINT32_MAX : 1);
  if (!notice->ended)
    page_count(w->page, TALLY_WAITS);
}

static void on_signal(int number) {
  (void)number;
}

/** A process without a handler ignores both signals: an exec has none for a moment. */
static void handle_signals(void) {
  struct sigaction action = {.sa_handler = on_signal};
  sigaction(SIGURG, &action, NULL);
  sigaction(SIGWINCH, &action, NULL);
}

void worker_take_entry(struct worker *w) {
  struct stat st;
  worker_make_mortal(w);
  schedgpu_set_wait_observer(note_wait, w);
  atomic_store(&w->entry->own_pid, (int32_t)getpid());
  atomic_store(&w->entry->pid_namespace,
               stat("/proc/self/ns/pid", &st) == 0 ? (uint64_t)st.st_ino : 0);
  atomic_store(&w->entry->state, ENTRY_LIVE);
}

/** Rests until the phase is over, with what it holds or with nothing. */
static void park(struct worker *w) {
  uint32_t number = atomic_load(&w->page->phase_number);
  enum phase phase = phase_of(w);
  if (phase <= PHASE_CALM)
    return;
  if (phase == PHASE_OVER)
    worker_end(w);
  if (phase == PHASE_QUIET) {
    worker_release_all(w);
    call_detach(w); /* an attached process keeps its job admitted, and so blocks others */
  }
  atomic_store(&w->entry->parked, number);
  atomic_fetch_add(&w->page->progress, 1);
  while (atomic_load(&w->page->phase_number) == number)
    nap_us(2000);
}

static void act_reserve(struct worker *w) {
  uint32_t ordinal = (uint32_t)dice_below(&w->dice, w->devices);
  uint64_t bytes = random_request(&w->dice, w, ordinal);
  int64_t timeout_ns = random_timeout(&w->dice);
  if (w->blocks < BLOCKS && call_reserve(w, &w->dice, ordinal, bytes, timeout_ns))
    w->block[w->blocks++] = (struct block){ordinal, bytes};
}

static void act_release(struct worker *w) {
  if (w->blocks == 0)
    return;
  uint32_t i = (uint32_t)dice_below(&w->dice, w->blocks);
  struct block b = w->block[i];
  w->block[i] = w->block[--w->blocks];
  call_release(w, b.ordinal, b.bytes);
}

/* The rules refuse no wait for a context. So a process that holds memory must not wait for one
 * without a limit (docs/explanation/architecture.md: what admission cannot cover). */
static void act_enter(struct worker *w) {
  uint32_t ordinal = (uint32_t)dice_below(&w->dice, w->devices);
  int64_t timeout_ns = random_timeout(&w->dice);
  if (timeout_ns == SCHEDGPU_FOREVER && (worker_holds_memory(w) || worker_holds_contexts(w)))
    timeout_ns = 5000000;
  call_enter(w, ordinal, timeout_ns);
}

static void act_leave(struct worker *w) {
  uint32_t ordinal = (uint32_t)dice_below(&w->dice, w->devices);
  if (w->depth[ordinal] > 0)
    call_leave(w, ordinal);
}

static void act_something(struct worker *w, bool may_fork) {
  uint32_t side = (uint32_t)dice_below(&w->dice, 1000);
  if (side < 360)
    act_reserve(w);
  else if (side < 560)
    act_release(w);
  else if (side < 660)
    act_enter(w);
  else if (side < 720)
    act_leave(w);
  else if (side < 790)
    call_query(w, (uint32_t)dice_below(&w->dice, w->devices));
  else if (side < 820)
    call_detach(w);
  else if (side < 850)
    call_attach(w);
  else if (side < 880)
    act_threads(w, may_fork);
  else if (side < 892)
    act_detach_under_threads(w);
  else if (side < 912)
    act_close_descriptors();
  else if (side < 940 && may_fork)
    act_fork(w, false);
  else if (side < 955 && may_fork)
    act_exec(w);
  else if (side < 965)
    worker_begin_own_job(w);
  else if (side < 985)
    worker_quit_job(w);
  else
    nap_us(dice_below(&w->dice, 20000));
}

void worker_live(struct worker *w, uint32_t steps, bool may_fork) {
  while (steps > 0) {
    if (!may_begin(w)) {
      park(w);
      continue;
    }
    bool calm = phase_of(w) == PHASE_CALM;
    steps -= !calm;
    bool homeless = atomic_load(&w->lost) || !job_runs(w->page, w->job);
    if (homeless && !worker_join_job(w)) {
      nap_us(1000);
      continue;
    }
    act_something(w, may_fork && !calm);
    if (dice_one_in(&w->dice, 3))
      nap_us(dice_below(&w->dice, 2000));
  }
}

_Noreturn void worker_end(struct worker *w) {
  if (dice_one_in(&w->dice, 3))
    call_detach(w);
  atomic_store(&w->entry->state, ENTRY_GONE);
  _exit(0);
}

static _Noreturn void run(struct page *page, uint32_t entry, uint64_t salt) {
  struct worker w = {.page = page, .entry = &page->entry[entry], .index = entry};
  w.dice = dice_of(page->seed, entry + 1, salt);
  page_count(page, TALLY_LIVES);
  handle_signals();
  worker_take_entry(&w);
  worker_live(&w, 4 + (uint32_t)dice_below(&w.dice, 120), true);
  worker_end(&w);
}

_Noreturn void worker_run(struct page *page, uint32_t entry) {
  prctl(PR_SET_PDEATHSIG, SIGKILL); /* ends the processes if the controller itself is killed */
  signal(SIGINT, SIG_IGN);          /* the controller ends the run in order */
  signal(SIGTERM, SIG_IGN);
  run(page, entry, page_tally(page, TALLY_LIVES));
}

_Noreturn void worker_run_again(const char *page_path, uint32_t entry) {
  struct page *page = page_open(page_path);
  if (!page || entry >= ENTRIES)
    _exit(1);
  run(page, entry, page_tally(page, TALLY_EXECS) << 32);
}

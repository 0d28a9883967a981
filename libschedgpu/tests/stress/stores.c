/*
 * stores.c - in builds with SG_CRASH_POINTS a worker dies by itself at a random store into the
 * region: inside the lock, most of the time, where a kill from outside arrives once in thirty
 * times.
 */
#include "worker.h"
#include "../../core/layout/region.h"
#include <sys/syscall.h>
#include <unistd.h>

#ifdef SG_CRASH_POINTS

static struct worker *mortal;
/* the process dies when it reaches 0; the controller's never does */
static _Atomic int64_t stores_left;

void sg_crash_point(void) {
  if (atomic_load_explicit(&stores_left, memory_order_relaxed) <= 0 ||
      atomic_fetch_sub(&stores_left, 1) != 1)
    return;
  page_count(mortal->page, TALLY_STORE_DEATHS);
  atomic_store(&mortal->entry->state, ENTRY_GONE);
  syscall(SYS_exit_group, 0); /* the init of a PID namespace ignores its own SIGKILL */
}

void worker_make_mortal(struct worker *w) {
  mortal = w;
  atomic_store(&stores_left, (int64_t)dice_below(&w->dice, 3000));
}

#else

void worker_make_mortal(struct worker *w) {
  (void)w;
}

#endif

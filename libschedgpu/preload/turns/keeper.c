/*
 * keeper.c - the thread that ends turns. It is needed because a program may launch for minutes
 * without ever asking whether its work is done, or may launch nothing more. It sleeps while the
 * process has no turn; with it, it looks at one word from time to time.
 */
#include "turns.h"
#include "../../shell/region/attach.h"
#include "../account/charge.h"
#include "../hooks/capture.h"
#include "../join/message.h"
#include <errno.h>
#include <string.h>
#include <time.h>

#define DEVICE 0
#define MS 1000000L
/** How often the keeper looks: while others wait, and while nobody does. Who begins to wait wakes
 * it (shell/client/turn_wait.c). */
#define LOOK_NS MS
#define REST_NS (10 * MS)
#define SLEEP_NS UINT64_C(3600000000000)
/** A look that comes later by so much: the process was stopped. A busy machine delays it less. */
#define STOPPED_NS UINT64_C(1000000000)

static bool started; /* under the lock of turns.c */
static void (*close_turn)(void);
static atomic_bool ending;

/* The driver may be gone before the process is. */
__attribute__((destructor)) static void end_with_the_program(void) {
  atomic_store(&ending, true);
}

/** True if nothing was launched since the last look, and no launch waits in the driver. */
static bool is_quiet(uint32_t *seen) {
  struct sg_reader_slots *slots = atomic_load(&sgp_launching);
  uint32_t now = sg_launches_count(slots), before = *seen;
  *seen = now;
  return now == before && !sg_launches_any(slots);
}

/**
 * Sleeps until the next look, after that at `looked_ns`, wherever the thread is when the process is
 * stopped: its job has no service meanwhile. Returns when it looks.
 */
static uint64_t rest(uint64_t looked_ns, bool wanted) {
  uint64_t ns = wanted ? LOOK_NS : REST_NS;
  if (wanted)
    nanosleep(&(struct timespec){0, LOOK_NS}, NULL);
  else
    sg_compute_turn_await_waiter(DEVICE, REST_NS);
  uint64_t now_ns = sg_now_ns(), late_ns = now_ns - looked_ns - ns;
  if (late_ns >= STOPPED_NS && late_ns < UINT64_MAX / 2)
    sg_compute_turn_leave_out(DEVICE, late_ns);
  return now_ns;
}

static void *keep(void *unused) {
  uint32_t seen = 0;
  uint64_t looked_ns = sg_now_ns();
  (void)unused;
  sgp_inside = true;
  sgp_allow_in_capture();
  while (!atomic_load(&ending)) {
    if (atomic_load(&sgp_gate) == 0) {
      sg_futex_wait(&sgp_gate, 0, SLEEP_NS);
      looked_ns = sg_now_ns();
      continue;
    }
    bool wanted = sg_compute_turn_is_wanted(DEVICE);
    looked_ns = rest(looked_ns, wanted);
    bool quiet = is_quiet(&seen);
    bool over = wanted ? quiet || sg_compute_turn_is_due() : sg_compute_turn_is_lost(DEVICE);
    if (over && !atomic_load(&ending)) {
      close_turn(); /* may wait for the device, which is service */
      looked_ns = sg_now_ns();
    }
  }
  return NULL;
}

bool sgp_keeper_start(void (*closes)(void)) {
  close_turn = closes;
  int saved = errno, error = started ? 0 : sg_start_thread(keep, NULL);
  errno = saved;
  if (error)
    sgp_say_once(SGP_NO_KEEPER,
                 "the thread that ends turns cannot be started (%s): raise the limit "
                 "of threads of the user",
                 strerror(error));
  started = !error;
  return started;
}

void sgp_keeper_after_fork(void) {
  started = false;
}

/* crash.c - see crash.h. */
#include "crash.h"
#include "../../core/rules/core.h"
#include <sys/syscall.h>
#include <unistd.h>

struct crash_plan {
  int signal;            /**< SIGKILL, SIGSTOP; 0: nothing is planned */
  long store;            /**< the number of stores until then, if `reached` is NULL */
  bool (*reached)(void); /**< else: acts at the first store after which this is true */
};
static struct crash_plan crash_plan;

/** Signals this thread, which executes no further instruction. */
static void crash_now(int signal) {
  crash_plan = (struct crash_plan){0};
  syscall(SYS_tgkill, getpid(), (pid_t)syscall(SYS_gettid), signal);
}

void sg_crash_point(void) {
  if (crash_plan.signal == 0)
    return;
  if (crash_plan.reached ? crash_plan.reached() : --crash_plan.store == 0)
    crash_now(crash_plan.signal);
}

void crash_at_store(long store, int signal) {
  crash_plan = (struct crash_plan){.signal = store > 0 ? signal : 0, .store = store};
}

void crash_when(bool (*reached)(void), int signal) {
  crash_plan = (struct crash_plan){.signal = signal, .reached = reached};
}

void crash_never(void) {
  crash_plan = (struct crash_plan){0};
}

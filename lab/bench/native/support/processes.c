/* processes.c - see processes.h. */
#include "processes.h"
#include "clock.h"
#include "must.h"
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

void *shared_new(size_t size) {
  void *p =
      mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  MUST(p != MAP_FAILED);
  return p;
}

void shared_free(void *shared, size_t size) {
  munmap(shared, size);
}

pid_t process_start(void (*body)(void *), void *argument) {
  fflush(NULL);
  pid_t pid = fork();
  MUST(pid >= 0);
  if (pid > 0)
    return pid;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  body(argument);
  fflush(NULL);
  _exit(0);
}

void process_await(pid_t pid) {
  int status;
  MUST(waitpid(pid, &status, 0) == pid);
  MUST(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

void process_run(void (*body)(void *), void *argument) {
  process_await(process_start(body, argument));
}

void process_kill(pid_t pid) {
  kill(pid, SIGKILL);
  MUST(waitpid(pid, NULL, 0) == pid);
}

void gate_enter(struct gate *gate) {
  atomic_fetch_add(&gate->arrived, 1);
  while (!atomic_load(&gate->open))
    sched_yield();
}

void gate_await(struct gate *gate, uint32_t count) {
  while (atomic_load(&gate->arrived) < count)
    sleep_ns(100 * NS_PER_US);
}

void gate_open(struct gate *gate) {
  atomic_store(&gate->open, 1);
}

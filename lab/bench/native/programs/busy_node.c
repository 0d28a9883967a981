/*
 * busy_node.c - a node with 64 jobs and 32 attached processes, for a program that reads it from
 * outside. Prints its run directory. Ends and removes the node when its standard input ends.
 */
#include "../support/bench_node.h"
#include "../support/clock.h"
#include "../support/processes.h"

#define JOBS 64
#define CLIENTS 32

struct crowd {
  _Atomic uint32_t attached;
};

static void be_client(void *argument) {
  struct crowd *crowd = argument;
  attach_as(atomic_load(&crowd->attached) + 1);
  reserve_or_die(MIB, SCHEDGPU_NO_WAIT);
  atomic_fetch_add(&crowd->attached, 1);
  for (;;)
    pause();
}

int main(void) {
  struct node node = node_new(MIB, 0);
  struct crowd *crowd = shared_new(sizeof *crowd);
  pid_t pid[CLIENTS];
  for (uint64_t job = 1; job <= JOBS; job++)
    node_job(&node, job, SCHEDGPU_MODE_ONDEMAND, 0);
  for (uint32_t i = 0; i < CLIENTS; i++) {
    pid[i] = process_start(be_client, crowd);
    while (atomic_load(&crowd->attached) <= i)
      sleep_ns(NS_PER_MS);
  }
  printf("%s\n", node.dir);
  fflush(stdout);
  while (getchar() != EOF) {
  }
  for (uint32_t i = 0; i < CLIENTS; i++)
    process_kill(pid[i]);
  node_free(&node);
  return 0;
}

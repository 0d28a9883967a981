/* running.h - which processes have work on the emulated device now. */
#ifndef PRELOAD_TEST_RUNNING_H
#define PRELOAD_TEST_RUNNING_H

#include "fixture.h"
#include "../../../../lab/gpu-emulator/src/shared/compute.h"

static inline struct shared_state *running_open(const struct node *node) {
  char path[128];
  snprintf(path, sizeof path, "%s/gpu", node->dir);
  struct shared_state *state = state_open_at(path);
  assert_non_null(state);
  return state;
}

/** The number of processes that have unfinished work; `*pid` is one of them. */
static inline int running_processes(struct shared_state *state, int *pid) {
  int count = 0;
  state_lock(state);
  compute_advance(state, 0, state_now_ns());
  for (unsigned slot = 0; slot < state->owners_high; slot++)
    if (compute_unfinished(state, slot)) {
      count++;
      *pid = state->owners[slot].pid;
    }
  state_unlock(state);
  return count;
}

/** Ns of the device that the process has had. */
static inline uint64_t running_busy_ns(struct shared_state *state, int pid) {
  uint64_t ns = 0;
  state_lock(state);
  compute_advance(state, 0, state_now_ns());
  for (unsigned slot = 0; slot < state->owners_high; slot++)
    if (state->owners[slot].pid == pid)
      ns = state->busy_ns[0][slot];
  state_unlock(state);
  return ns;
}

#endif

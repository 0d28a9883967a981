/* state.c - see state.h. */
#include "state.h"
#include "config.h"
#include "log.h"
#include "process.h"
#include "shareable.h"

#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

uint64_t state_now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void state_lock(struct shared_state *state) {
  /* A holder that died left nothing half done (see state.h), so no repair is needed. */
  if (pthread_mutex_lock(&state->lock) == EOWNERDEAD)
    pthread_mutex_consistent(&state->lock);
}

void state_unlock(struct shared_state *state) {
  pthread_mutex_unlock(&state->lock);
}

static void clear_slot(struct shared_state *state, unsigned slot) {
  state->tasks_used[slot] = 0;
  state->tasks_finished[slot] = 0;
  shareable_drop_all(state, slot);
  for (unsigned d = 0; d < MAX_DEVICES; d++) {
    state->allocated_bytes[d][slot] = 0;
    state->overhead_bytes[d][slot] = 0;
    state->busy_ns[d][slot] = 0;
  }
}

void state_empty_slot(struct shared_state *state, unsigned slot) {
  clear_slot(state, slot);
  __atomic_store_n(&state->owners[slot].pid, 0, __ATOMIC_RELEASE);
}

/* True if the memory of a dead process is free by now: a real driver frees it with a delay
 * (EMULATED_GPU_LATE_FREE_MS). */
static int driver_has_freed(struct owner *owner) {
  uint64_t late_ns = config_late_free_ns(), now_ns = state_now_ns();
  if (late_ns && !owner->found_dead_ns)
    owner->found_dead_ns = now_ns;
  return !late_ns || now_ns - owner->found_dead_ns >= late_ns;
}

void state_remove_dead(struct shared_state *state, unsigned slot) {
  state->tasks_used[slot] = state->tasks_finished[slot] = 0;
  if (!driver_has_freed(&state->owners[slot]))
    return;
  log_call("process %d is gone, its memory is free", state->owners[slot].pid);
  state_empty_slot(state, slot);
}

void state_reap(struct shared_state *state) {
  for (unsigned slot = 0; slot < state->owners_high; slot++) {
    const struct owner *owner = &state->owners[slot];
    if (owner->pid && !process_alive(owner->pid, owner->start_ticks))
      state_remove_dead(state, slot);
  }
  shareable_reap(state);
}

static int free_slot(const struct shared_state *state) {
  for (unsigned slot = 0; slot < MAX_PROCESSES; slot++)
    if (!state->owners[slot].pid)
      return (int)slot;
  return -1;
}

/* A program that called exec keeps its pid and start time, but loses everything that it had. */
static void forget_former_program(struct shared_state *state, int pid) {
  for (unsigned slot = 0; slot < state->owners_high; slot++)
    if (state->owners[slot].pid == pid)
      state_empty_slot(state, slot);
}

int state_claim(struct shared_state *state) {
  int pid = getpid();
  forget_former_program(state, pid);
  int slot = free_slot(state);
  if (slot < 0) {
    state_reap(state);
    slot = free_slot(state);
  }
  if (slot < 0) {
    log_error("%d processes use the devices, the most that can: end one", MAX_PROCESSES);
    return -1;
  }
  clear_slot(state, (unsigned)slot);
  state->owners[slot].start_ticks = process_own_start();
  state->owners[slot].claimed_ns = state_now_ns();
  state->owners[slot].found_dead_ns = 0;
  if (state->owners_high <= (unsigned)slot)
    state->owners_high = (unsigned)slot + 1;
  __atomic_store_n(&state->owners[slot].pid, pid, __ATOMIC_RELEASE);
  return slot;
}

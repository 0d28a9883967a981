/* compute.c - see compute.h. */
#include "compute.h"
#include "process.h"

#include <unistd.h>

enum { ALIVE_CHECK_NS = 1000000 };

static const struct clock_state *current(const struct shared_state *state, unsigned device) {
  const struct device_clock *clock = &state->clocks[device];
  return &clock->half[clock->current & 1];
}

/* The store of `current` makes all new values valid at once. */
static void commit(struct shared_state *state, unsigned device, const struct clock_state *next) {
  struct device_clock *clock = &state->clocks[device];
  uint64_t other = 1 - (clock->current & 1);
  clock->half[other] = *next;
  __atomic_store_n(&clock->current, other, __ATOMIC_RELEASE);
}

uint64_t compute_unfinished(const struct shared_state *state, unsigned slot) {
  return state->tasks_used[slot] & ~state->tasks_finished[slot];
}

/* The running kernels of a device: how many, and the virtual time at which the first one ends. */
struct running {
  unsigned count;
  uint64_t first_end_ns;
};

static struct running running_on(const struct shared_state *state, unsigned device) {
  struct running running = {0, UINT64_MAX};
  for (unsigned slot = 0; slot < state->owners_high; slot++)
    for (uint64_t left = compute_unfinished(state, slot); left; left &= left - 1) {
      const struct task *task = &state->tasks[slot][lowest_bit(left)];
      if (task->device != device || !task->end_virtual_ns)
        continue;
      running.count++;
      if (task->end_virtual_ns < running.first_end_ns)
        running.first_end_ns = task->end_virtual_ns;
    }
  return running;
}

/* Finishes the kernels whose time has come, and starts those that waited only for finished ones.
 * May be repeated after a process died between two steps. */
static void settle(struct shared_state *state, unsigned device) {
  const struct clock_state *clock = current(state, device);
  for (unsigned slot = 0; slot < state->owners_high; slot++) {
    for (uint64_t left = compute_unfinished(state, slot); left; left &= left - 1) {
      struct task *task = &state->tasks[slot][lowest_bit(left)];
      if (task->device != device || !task->end_virtual_ns ||
          task->end_virtual_ns > clock->virtual_ns)
        continue;
      task->finished_ns = clock->real_ns;
      __atomic_store_n(&state->tasks_finished[slot],
                       state->tasks_finished[slot] | 1ull << lowest_bit(left), __ATOMIC_RELEASE);
    }
    uint64_t unfinished = compute_unfinished(state, slot);
    for (uint64_t left = unfinished; left; left &= left - 1) {
      struct task *task = &state->tasks[slot][lowest_bit(left)];
      if (task->device == device && !task->end_virtual_ns && !(task->after & unfinished))
        task->end_virtual_ns = clock->virtual_ns + task->duration_ns;
    }
  }
}

static void add_to_periods(struct clock_state *clock, uint64_t to_ns, int busy) {
  while (clock->real_ns < to_ns) {
    uint64_t period_end = (clock->real_ns / SAMPLE_PERIOD_NS + 1) * SAMPLE_PERIOD_NS;
    uint64_t end = period_end < to_ns ? period_end : to_ns;
    if (busy)
      clock->period_busy_ns += end - clock->real_ns;
    clock->real_ns = end;
    if (end < period_end)
      continue;
    clock->previous_busy_ns = clock->period_busy_ns;
    clock->period_busy_ns = 0;
    /* After a long pause, only the last two periods matter. */
    if (to_ns - end > 3ull * SAMPLE_PERIOD_NS && !busy)
      clock->real_ns = (to_ns / SAMPLE_PERIOD_NS - 2) * SAMPLE_PERIOD_NS;
  }
}

static void add_to_owners(struct shared_state *state, unsigned device, uint64_t each_ns) {
  for (unsigned slot = 0; slot < state->owners_high; slot++)
    for (uint64_t left = compute_unfinished(state, slot); left; left &= left - 1) {
      const struct task *task = &state->tasks[slot][lowest_bit(left)];
      if (task->device == device && task->end_virtual_ns)
        state->busy_ns[device][slot] += each_ns;
    }
}

/* One step: to the end of the next kernel, or as near to now as equal whole shares allow. */
static int step(struct shared_state *state, unsigned device, uint64_t now_ns) {
  struct clock_state next = *current(state, device);
  struct running running = running_on(state, device);
  if (now_ns <= next.real_ns)
    return 0;
  if (!running.count) {
    add_to_periods(&next, now_ns, 0);
    commit(state, device, &next);
    return 0;
  }
  uint64_t each_ns = (now_ns - next.real_ns) / running.count;
  uint64_t to_first_ns = running.first_end_ns - next.virtual_ns;
  int finishes = to_first_ns <= each_ns;
  if (finishes)
    each_ns = to_first_ns;
  next.virtual_ns += each_ns;
  next.busy_ns += each_ns * running.count;
  add_to_periods(&next, next.real_ns + each_ns * running.count, 1);
  add_to_owners(state, device, each_ns);
  commit(state, device, &next);
  return finishes;
}

/* Stops the kernels of dead processes. Their progress since the last check is unknown and not
 * counted. */
static void drop_dead(struct shared_state *state, unsigned device, uint64_t now_ns) {
  struct device_clock *clock = &state->clocks[device];
  if (now_ns < clock->checked_ns + ALIVE_CHECK_NS)
    return;
  clock->checked_ns = now_ns;
  int self = getpid();
  for (unsigned slot = 0; slot < state->owners_high; slot++) {
    const struct owner *owner = &state->owners[slot];
    if (owner->pid && owner->pid != self && compute_unfinished(state, slot) &&
        !process_alive(owner->pid, owner->start_ticks))
      state_remove_dead(state, slot);
  }
}

void compute_advance(struct shared_state *state, unsigned device, uint64_t now_ns) {
  drop_dead(state, device, now_ns);
  settle(state, device);
  while (step(state, device, now_ns))
    settle(state, device);
}

int compute_submit(struct shared_state *state, unsigned slot, const struct task *task) {
  uint64_t used = state->tasks_used[slot];
  if (used == UINT64_MAX)
    return -1;
  unsigned index = lowest_bit(~used);
  state->tasks[slot][index] = *task;
  state->tasks[slot][index].end_virtual_ns = 0;
  state->tasks_finished[slot] &= ~(1ull << index);
  __atomic_store_n(&state->tasks_used[slot], used | 1ull << index, __ATOMIC_RELEASE);
  settle(state, task->device);
  return (int)index;
}

void compute_forget(struct shared_state *state, unsigned slot, uint64_t tasks) {
  for (uint64_t left = state->tasks_used[slot]; left; left &= left - 1)
    state->tasks[slot][lowest_bit(left)].after &= ~tasks;
  __atomic_store_n(&state->tasks_used[slot], state->tasks_used[slot] & ~tasks, __ATOMIC_RELEASE);
}

uint64_t compute_next_finish_ns(const struct shared_state *state, unsigned device) {
  struct running running = running_on(state, device);
  if (!running.count)
    return UINT64_MAX;
  uint64_t each_ns = running.first_end_ns - current(state, device)->virtual_ns;
  return each_ns > UINT64_MAX / running.count ? UINT64_MAX : each_ns * running.count;
}

uint64_t compute_busy_ns(const struct shared_state *state, unsigned device) {
  return current(state, device)->busy_ns;
}

unsigned compute_utilization(const struct shared_state *state, unsigned device) {
  return (unsigned)(current(state, device)->previous_busy_ns * 100 / SAMPLE_PERIOD_NS);
}

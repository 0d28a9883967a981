/* work.c - see work.h. */
#include "work.h"
#include "driver.h"
#include "../shared/compute.h"

#include <time.h>

/* The longest sleep: a waiter notices a killed process at least this often. */
enum { LONGEST_SLEEP_NS = 10000000 };

static struct work_set list = {.next = &list, .previous = &list};

void work_set_add(struct work_set *set) {
  set->next = list.next;
  set->previous = &list;
  list.next->previous = set;
  list.next = set;
}

void work_set_remove(struct work_set *set) {
  set->previous->next = set->next;
  set->next->previous = set->previous;
}

static const struct task *task_at(unsigned index) {
  return &driver.state->tasks[driver.slot][index];
}

/* The devices of the tasks, as a mask. */
static unsigned devices_of(uint64_t tasks) {
  unsigned devices = 0;
  for (; tasks; tasks &= tasks - 1)
    devices |= 1u << task_at(lowest_bit(tasks))->device;
  return devices;
}

static void advance(unsigned devices, uint64_t now_ns) {
  for (; devices; devices &= devices - 1)
    compute_advance(driver.state, lowest_bit(devices), now_ns);
}

static void take_out(struct work_set *set, uint64_t finished) {
  for (uint64_t left = set->tasks & finished; left; left &= left - 1) {
    uint64_t when = task_at(lowest_bit(left))->finished_ns;
    if (when > set->finished_ns)
      set->finished_ns = when;
  }
  set->tasks &= ~finished;
}

static void collect_finished(void) {
  uint64_t finished =
      driver.state->tasks_used[driver.slot] & driver.state->tasks_finished[driver.slot];
  if (!finished)
    return;
  for (struct work_set *set = list.next; set != &list; set = set->next)
    take_out(set, finished);
  compute_forget(driver.state, (unsigned)driver.slot, finished);
}

void work_update(void) {
  /* Without tasks there is nothing to update; most calls end here. Only this process adds tasks. */
  if (driver.slot < 0 || !driver.state->tasks_used[driver.slot])
    return;
  state_lock(driver.state);
  advance(devices_of(compute_unfinished(driver.state, (unsigned)driver.slot)), state_now_ns());
  collect_finished();
  state_unlock(driver.state);
}

static void sleep_ns(uint64_t ns) {
  struct timespec time = {.tv_nsec = (long)(ns < LONGEST_SLEEP_NS ? ns : LONGEST_SLEEP_NS)};
  nanosleep(&time, NULL);
}

/* The time until something may change on the devices of the tasks. */
static uint64_t next_change_ns(uint64_t tasks) {
  uint64_t soonest = UINT64_MAX;
  state_lock(driver.state);
  for (unsigned devices = devices_of(tasks); devices; devices &= devices - 1) {
    uint64_t ns = compute_next_finish_ns(driver.state, lowest_bit(devices));
    if (ns < soonest)
      soonest = ns;
  }
  state_unlock(driver.state);
  return soonest;
}

static void sleep_for(uint64_t tasks) {
  uint64_t ns = tasks ? next_change_ns(tasks) : 0;
  driver_unlock();
  sleep_ns(ns);
  driver_lock();
  work_update();
}

void work_wait(uint64_t tasks) {
  struct work_set awaited = {.tasks = tasks};
  work_set_add(&awaited);
  work_update();
  while (awaited.tasks)
    sleep_for(awaited.tasks);
  work_set_remove(&awaited);
}

static uint64_t tasks_elsewhere(uint64_t tasks, unsigned device) {
  uint64_t elsewhere = 0;
  for (; tasks; tasks &= tasks - 1)
    if (task_at(lowest_bit(tasks))->device != device)
      elsewhere |= tasks & -tasks;
  return elsewhere;
}

static int submit(const struct task *task) {
  state_lock(driver.state);
  compute_advance(driver.state, task->device, state_now_ns());
  int index = compute_submit(driver.state, (unsigned)driver.slot, task);
  state_unlock(driver.state);
  return index;
}

uint64_t work_launch(unsigned device, unsigned context, uint64_t duration_ns, uint64_t after) {
  if (!duration_ns)
    return after;
  struct work_set before = {.tasks = after};
  work_set_add(&before);
  work_update();
  /* Each device has its own clock, so tasks on other devices are awaited here. */
  for (uint64_t elsewhere; (elsewhere = tasks_elsewhere(before.tasks, device));)
    sleep_for(elsewhere);
  int index;
  for (;;) {
    struct task task = {
        .duration_ns = duration_ns, .after = before.tasks, .device = device, .context = context};
    index = submit(&task);
    if (index >= 0)
      break;
    sleep_for(compute_unfinished(driver.state, (unsigned)driver.slot));
  }
  work_set_remove(&before);
  return 1ull << index;
}

uint64_t work_of_context(unsigned context) {
  if (driver.slot < 0)
    return 0;
  uint64_t tasks = 0;
  for (uint64_t left = compute_unfinished(driver.state, (unsigned)driver.slot); left;
       left &= left - 1)
    if (task_at(lowest_bit(left))->context == context)
      tasks |= left & -left;
  return tasks;
}

void work_abandon(unsigned context) {
  work_update();
  uint64_t tasks = work_of_context(context);
  for (struct work_set *set = list.next; set != &list; set = set->next)
    set->tasks &= ~tasks;
  if (!tasks)
    return;
  state_lock(driver.state);
  compute_forget(driver.state, (unsigned)driver.slot, tasks);
  state_unlock(driver.state);
}

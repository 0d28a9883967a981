/*
 * client_thread.c - lets one thread at a time wait in the region, because a process has one request
 * at a time (core/rules/requests.c). Other threads that would wait queue here. A futex with three
 * states (Drepper, "Futexes Are Tricky", mutex 2), because a pthread mutex has no deadline on the
 * monotonic clock.
 */
#include "self.h"

enum { FREE = 0, TAKEN = 1, WAITED_FOR = 2 };

bool sg_thread_try_enter(struct sg_self *self) {
  uint32_t was = FREE;
  return atomic_compare_exchange_strong(&self->thread, &was, TAKEN);
}

bool sg_thread_enter(struct sg_self *self, uint64_t deadline_ns) {
  if (sg_thread_try_enter(self))
    return true;
  while (atomic_exchange(&self->thread, WAITED_FOR) != FREE) {
    uint64_t now_ns = sg_now_ns();
    if (now_ns >= deadline_ns)
      return false;
    sg_futex_wait(&self->thread, WAITED_FOR, deadline_ns - now_ns);
  }
  return true;
}

bool sg_thread_waits(struct sg_self *self) {
  return atomic_load(&self->thread) != FREE;
}

void sg_thread_leave(struct sg_self *self) {
  if (atomic_exchange(&self->thread, FREE) == WAITED_FOR)
    sg_futex_wake(&self->thread, 1);
}

/* self.c - the state of this process. A forked child starts detached and inherits nothing. */
#include "self.h"
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static struct sg_self *_Atomic self_page;

static void forget_in_child(void) {
  struct sg_self *self = atomic_load(&self_page);
  if (self)
    memset(self, 0, sizeof *self);
}

__attribute__((noinline, cold)) static struct sg_self *new_page(void) {
  size_t size = (sizeof(struct sg_self) + 4095) / 4096 * 4096;
  void *page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED)
    return NULL;
  struct sg_self *expected = NULL;
  bool wipes = madvise(page, size, MADV_WIPEONFORK) == 0;
  if (!atomic_compare_exchange_strong(&self_page, &expected, page)) {
    munmap(page, size);
    return expected;
  }
  if (!wipes) /* Linux before 4.14 */
    pthread_atfork(NULL, NULL, forget_in_child);
  return page;
}

struct sg_self *sg_self(void) {
  struct sg_self *self = atomic_load_explicit(&self_page, memory_order_acquire);
  return self ? self : new_page();
}

int schedgpu_is_attached(void) {
  struct sg_self *self = atomic_load(&self_page);
  return self && atomic_load(&self->record) != NULL;
}

void sg_self_wait_while_paused(struct sg_self *self) {
  do {
    sg_readers_exit(&self->readers);
    pthread_mutex_lock(&self->mutex); /* the thread that restores the record has the mutex */
    pthread_mutex_unlock(&self->mutex);
    sg_readers_enter(&self->readers);
  } while (atomic_load_explicit(&self->paused, memory_order_acquire) != 0);
}

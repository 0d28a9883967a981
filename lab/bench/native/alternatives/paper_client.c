/* paper_client.c - see paper_client.h; the stages are Figures 4 to 7 of the paper. */
#include "paper_client.h"
#include "../support/clock.h"
#include "../support/must.h"
#include "approach.h"
#include "schedgpu/schedgpu.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

/* This process as a client. */
static struct paper_shared *self;
static const struct paper_method *by;

static struct paper_shared *map(const char *name, int flags) {
  int fd = shm_open(name, O_RDWR | flags, 0600);
  MUST(fd >= 0 && (!flags || ftruncate(fd, sizeof(struct paper_shared)) == 0));
  void *p = mmap(NULL, sizeof(struct paper_shared), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  MUST(p != MAP_FAILED);
  close(fd);
  return p;
}

void paper_memory_make(struct paper_memory *memory, const char *method) {
  snprintf(memory->name, sizeof memory->name, "/schedgpu-bench-%s-%d", method, (int)getpid());
  memory->shared = map(memory->name, O_CREAT | O_EXCL);
  paper_fill(&memory->shared->data, APPROACH_TOTAL_BYTES);
}

void paper_memory_remove(struct paper_memory *memory) {
  munmap(memory->shared, sizeof *memory->shared);
  shm_unlink(memory->name);
}

int paper_init(const struct paper_method *method, const struct paper_memory *memory) {
  self = map(memory->name, 0);
  by = method;
  if (!by->join(self))
    return SCHEDGPU_ESYSTEM;
  by->lock(self);
  bool sound = paper_sound(&self->data);
  by->unlock(self);
  return sound ? SCHEDGPU_OK : SCHEDGPU_ECORRUPT;
}

static void serve(void) {
  struct paper_served served;
  if (self->data.waiting == 0)
    return;
  paper_serve(&self->data, &served);
  if (served.count > 0)
    by->notify(self, &served);
}

static uint64_t deadline_after(int64_t timeout_ns) {
  return timeout_ns < 0 ? UINT64_MAX : now_ns() + (uint64_t)timeout_ns;
}

/** Waits in the queue, with the lock before and after. */
static int wait_in_queue(uint64_t bytes, int64_t timeout_ns) {
  struct paper_waiter *place = paper_enqueue(&self->data, getpid(), bytes);
  uint64_t deadline_ns = deadline_after(timeout_ns);
  if (!place)
    return SCHEDGPU_EFULL;
  while (!place->granted && now_ns() < deadline_ns)
    by->wait(self, deadline_ns);
  bool granted = place->granted;
  paper_leave_queue(&self->data, place);
  if (!granted)
    serve(); /* this request may have blocked the next one */
  return granted ? SCHEDGPU_OK : SCHEDGPU_ETIMEDOUT;
}

int paper_reserve(uint64_t bytes, int64_t timeout_ns) {
  int rc = SCHEDGPU_OK;
  by->lock(self);
  bool taken = paper_take(&self->data, getpid(), bytes);
  if (!taken) { /* a dead client may hold the memory */
    paper_drop_dead(&self->data);
    serve();
    taken = paper_take(&self->data, getpid(), bytes);
  }
  if (!taken)
    rc = timeout_ns == 0 ? SCHEDGPU_EWOULDBLOCK : wait_in_queue(bytes, timeout_ns);
  by->unlock(self);
  return rc;
}

int paper_release(uint64_t bytes) {
  by->lock(self);
  bool given = paper_give(&self->data, getpid(), bytes);
  serve();
  by->unlock(self);
  return given ? SCHEDGPU_OK : SCHEDGPU_EUNDERFLOW;
}

int paper_shutdown(void) {
  by->lock(self);
  paper_give(&self->data, getpid(), paper_holds(&self->data, getpid()));
  paper_drop_dead(&self->data);
  serve();
  by->unlock(self);
  by->leave();
  munmap(self, sizeof *self);
  self = NULL;
  return SCHEDGPU_OK;
}

void paper_take_lock(void) {
  by->lock(self);
}

/*
 * link_state.c - makes the connection ready: it is checked before each use, made again after it
 * broke, and then resumes with the next agent what this process held.
 */
#include "link.h"
#include "../client/self.h"
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define RETRY_NS 10000000
#define LIVE_SIZE 4096
#define TELL_NS UINT64_C(200000000)

/** Maps a descriptor and closes it, in place of the mapping at `at`. NULL on failure. */
static void *map_and_close(int fd, size_t size, int protection, void *at) {
  void *p =
      fd < 0 ? MAP_FAILED : mmap(at, size, protection, MAP_SHARED | (at ? MAP_FIXED : 0), fd, 0);
  if (p != MAP_FAILED)
    madvise(p, size, MADV_DONTFORK); /* a forked child must not act for its parent */
  if (fd >= 0)
    close(fd);
  return p == MAP_FAILED ? NULL : p;
}

/** The liveness lock lives as long as its mapping. The page replaces an older one. */
int sg_link_map(struct sg_link *link, const int fds[2]) {
  sg_forbid_forks();
  void *live = map_and_close(fds[0], LIVE_SIZE, PROT_READ, NULL);
  void *page = map_and_close(fds[1], SG_PAGE_SIZE, PROT_READ | PROT_WRITE, link->page);
  if (live && link->live)
    munmap(link->live, LIVE_SIZE);
  if (live)
    link->live = live;
  if (page)
    link->page = page;
  sg_allow_forks();
  return live && page ? SCHEDGPU_OK : SCHEDGPU_ESYSTEM;
}

void sg_link_leave(struct sg_link *link) {
  if (link->live)
    munmap(link->live, LIVE_SIZE);
  link->live = NULL;
}

void sg_link_unmap(struct sg_link *link) {
  sg_link_leave(link);
  if (link->page)
    munmap(link->page, SG_PAGE_SIZE);
  link->page = NULL;
}

static void describe(const struct sg_self *self, struct sg_wire_resume *resume) {
  const struct sg_link *link = &self->link;
  const struct sg_job *job = &link->view->job[0];
  *resume = (struct sg_wire_resume){
      .job = {.id = job->id, .kind = job->kind}, .slot = link->slot, .gen = link->gen};
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++) {
    resume->in_use[d] = sg_in_use(atomic_load(&link->page->client.lease[d]));
    resume->contexts |= link->page->client.contexts[d] ? 1u << d : 0;
  }
  uint64_t turn = atomic_load(&link->page->lane.turn);
  resume->turn = (turn == 0             ? 0u
                  : turn & SG_TURN_BUSY ? (uint32_t)SG_WIRE_TURN_BUSY
                                        : (uint32_t)SG_WIRE_TURN_IDLE) |
                 (atomic_load(&link->page->turn_waits) ? (uint32_t)SG_WIRE_TURN_WAITS : 0u);
  if (!link->wait_lost)
    resume->wait.ticket = link->wait_ticket;
}

/** No thread takes or frees memory while the page changes, so the use is exact. */
static int resume(struct sg_self *self) {
  struct sg_link *link = &self->link;
  struct sg_wire_question q = {.head.type = SG_WIRE_RESUME};
  struct sg_wire_answer a;
  int fds[2];
  atomic_store(&self->paused, 1);
  sg_readers_wait(&self->readers);
  describe(self, &q.resume);
  int rc = sg_link_exchange(self, &q, &a, fds);
  if (rc == SCHEDGPU_OK)
    rc = sg_link_map(link, fds);
  else
    sg_link_close_both(fds);
  if (rc == SCHEDGPU_OK)
    link->wait_lost |= a.attached.lost != 0;
  atomic_store(&self->paused, 0);
  return rc;
}

int sg_link_ready(struct sg_self *self) {
  struct sg_link *link = &self->link;
  if (!sg_link_broken(link))
    return SCHEDGPU_OK;
  sg_link_close(link);
  int rc = sg_link_connect(self);
  if (rc == SCHEDGPU_OK && link->attached)
    rc = resume(self);
  if (rc != SCHEDGPU_OK)
    sg_link_close(link);
  return rc;
}

int sg_link_tell(struct sg_self *self, uint32_t type) {
  struct sg_link *link = &self->link;
  struct sg_wire_question q = {.head.type = (uint16_t)type};
  struct sg_wire_answer a;
  pthread_mutex_lock(&self->mutex);
  int rc = link->attached ? SCHEDGPU_OK : SCHEDGPU_EUNDERFLOW;
  if (rc == SCHEDGPU_OK && sg_now_ns() >= link->quiet_until_ns) {
    link->deadline_ns = sg_now_ns() + TELL_NS;
    rc = sg_link_ready(self);
    if (rc == SCHEDGPU_OK)
      rc = sg_link_exchange(self, &q, &a, NULL);
    if (rc == SCHEDGPU_ELOCK)
      link->quiet_until_ns = sg_now_ns() + 5 * TELL_NS;
  }
  pthread_mutex_unlock(&self->mutex);
  return rc;
}

static void nap(void) {
  struct timespec pause = {0, RETRY_NS};
  nanosleep(&pause, NULL);
}

int sg_link_ask_in_time(struct sg_self *self, struct sg_wire_question *q, struct sg_wire_answer *a,
                        int fds[2]) {
  for (;;) {
    bool asked = false;
    int none[2], *got = fds ? fds : none, rc = sg_link_ready(self);
    got[0] = got[1] = -1;
    if (rc == SCHEDGPU_OK) {
      rc = sg_link_exchange(self, q, a, fds);
      asked = self->link.connected;
    }
    if (rc != SCHEDGPU_OK)
      sg_link_close_both(got);
    if (rc != SCHEDGPU_ELOCK)
      return rc;
    if (sg_now_ns() >= self->link.deadline_ns)
      return asked ? SCHEDGPU_ELOCK : SCHEDGPU_EAGENT;
    nap();
  }
}

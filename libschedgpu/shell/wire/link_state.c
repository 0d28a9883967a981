/* link_state.c - attaches to an agent, and resumes with the next one after it ended. */
#include "../client/client.h"
#include "../client/notice.h"
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define RETRY_NS 10000000
#define LIVE_SIZE 4096

/** Creates the view: the parts of a region that concern this process. Job 0 is its own. */
static struct sg_region *new_view(void) {
  void *p = mmap(NULL, sizeof(struct sg_region), PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return p == MAP_FAILED ? NULL : p;
}

static void fill_view(struct sg_region *r, const struct sg_wire_attached *a,
                      const struct sg_job_key *key) {
  struct sg_job *job = &r->job[0];
  r->h.device_count = SCHEDGPU_MAX_DEVICES;
  r->h.job_high = 1;
  job->state = SG_ACTIVE;
  job->kind = key->kind;
  job->id = key->id;
  job->uid = key->uid;
  job->mode = a->mode;
  job->device_mask = a->device_mask;
  job->flags = a->flags;
  job->priority = a->priority;
  job->wait_ns = a->wait_ns;
  job->begun_ns = a->begun_ns;
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++) {
    struct sg_device *device = &r->device[d];
    device->state = a->present & 1u << d ? SG_ACTIVE : SG_FREE;
    device->index = d;
    device->total_bytes = a->gpu[d].usable_bytes;
    device->context_bytes = a->gpu[d].context_bytes;
    memcpy(device->uuid, a->gpu[d].uuid, sizeof device->uuid);
    device->uuid[sizeof device->uuid - 1] = 0;
    job->budget_bytes[d] = a->gpu[d].budget_bytes;
  }
}

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

void sg_link_unmap(struct sg_link *link) {
  if (link->live)
    munmap(link->live, LIVE_SIZE);
  if (link->page)
    munmap(link->page, SG_PAGE_SIZE);
  link->live = NULL;
  link->page = NULL;
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

static int ask_to_attach(struct sg_self *self, const struct sg_job_key *key,
                         struct sg_wire_answer *a) {
  struct sg_wire_question q = {.head.type = SG_WIRE_ATTACH,
                               .attach = {.id = key->id, .kind = key->kind}};
  int fds[2], rc = sg_link_ask_in_time(self, &q, a, fds);
  return rc == SCHEDGPU_OK ? sg_link_map(&self->link, fds) : rc;
}

int sg_link_attach(struct sg_self *self, const char *run_dir, const struct sg_job_key *key,
                   int64_t timeout_ns, struct sg_joined *joined) {
  struct sg_link *link = &self->link;
  struct sg_wire_answer a;
  if (!link->view && !(link->view = new_view()))
    return SCHEDGPU_ESYSTEM;
  self->h.writable = false; /* the view is not a region: nothing may write it as one */
  snprintf(self->h.run_dir, sizeof self->h.run_dir, "%s", run_dir);
  link->on = false;
  link->deadline_ns = sg_now_ns() + (uint64_t)timeout_ns;
  link->wait.ticket = 0;
  link->wait_lost = false;
  self->h.lock_holder = SG_NOTICE_AGENT;
  int rc = ask_to_attach(self, key, &a);
  if (rc != SCHEDGPU_OK) {
    sg_link_close(link);
    return rc;
  }
  fill_view(link->view, &a.attached, key);
  *joined = (struct sg_joined){0, a.attached.begun_ns, a.attached.mode, a.attached.device_mask};
  link->slot = a.attached.slot;
  link->gen = a.attached.gen;
  link->on = true;
  self->h.r = link->view;
  self->h.slot = link->slot;
  return SCHEDGPU_OK;
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
  if (!link->wait_lost)
    resume->wait = link->wait;
}

/** No thread takes or frees memory while the page changes, so the use is exact. */
int sg_link_resume(struct sg_self *self) {
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

int sg_link_detach(struct sg_self *self) {
  struct sg_link *link = &self->link;
  struct sg_wire_question q = {.head.type = SG_WIRE_DETACH};
  struct sg_wire_answer a;
  if (sg_link_ready(self) == SCHEDGPU_OK)
    sg_link_exchange(self, &q, &a, NULL); /* otherwise the lock ends with the mapping */
  atomic_store(&link->page->wait_state, SG_WAIT_OVER);
  sg_futex_wake(&link->page->wait_state, INT32_MAX);
  munmap(link->live, LIVE_SIZE);
  link->live = NULL;
  link->on = false;
  return SCHEDGPU_OK;
}

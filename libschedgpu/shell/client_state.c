/* client_state.c - attach, detach, and what a fork leaves behind: nothing. */
#include "client.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define DEFAULT_RUN_DIR "/run/schedgpu"

static struct sg_self *_Atomic self_page;

static void forget_in_child(void) {
  struct sg_self *self = atomic_load(&self_page);
  if (self)
    memset(self, 0, sizeof *self);
}

static struct sg_self *new_page(void) {
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

/** "slurm:123" or "run:456". */
static int parse_job(const char *text, uint32_t *kind, uint64_t *id) {
  if (strncmp(text, "slurm:", 6) == 0)
    *kind = SCHEDGPU_JOB_SLURM;
  else if (strncmp(text, "run:", 4) == 0)
    *kind = SCHEDGPU_JOB_RUN;
  else
    return SCHEDGPU_EINVAL;
  const char *digits = strchr(text, ':') + 1;
  char *end;
  *id = strtoull(digits, &end, 10);
  return *digits >= '0' && *digits <= '9' && *end == 0 ? SCHEDGPU_OK : SCHEDGPU_EINVAL;
}

static int find_job(const struct sg_region *r, uint32_t *job) {
  uint32_t kind;
  uint64_t id;
  const char *text = getenv("SCHEDGPU_JOB");
  if (!text)
    return SCHEDGPU_ENOJOB;
  int rc = parse_job(text, &kind, &id);
  if (rc != SCHEDGPU_OK)
    return rc;
  *job = sg_job_find(r, kind, id);
  if (*job == SG_NONE)
    return SCHEDGPU_ENOJOB;
  uint32_t uid = (uint32_t)getuid();
  return uid == 0 || uid == r->job[*job].uid ? SCHEDGPU_OK : SCHEDGPU_EUSER;
}

static int open_and_attach(struct sg_self *self) {
  const char *run_dir = getenv("SCHEDGPU_RUN_DIR");
  int rc = sg_open(&self->h, run_dir && *run_dir ? run_dir : DEFAULT_RUN_DIR);
  if (rc != SCHEDGPU_OK)
    return rc;
  rc = self->h.writable ? find_job(self->h.r, &self->job) : SCHEDGPU_EPERM;
  if (rc == SCHEDGPU_OK)
    rc = sg_attach_slot(&self->h, 0, SCHEDGPU_MAX_CLIENTS, self->job, SCHEDGPU_FOREVER);
  if (rc != SCHEDGPU_OK)
    sg_close(&self->h);
  return rc;
}

int sg_self_attach(struct sg_self *self) {
  if (atomic_load(&self->record))
    return SCHEDGPU_OK;
  int rc = open_and_attach(self);
  if (rc != SCHEDGPU_OK)
    return rc;
  const struct sg_job *job = &self->h.r->job[self->job];
  self->peak = job->mode == SCHEDGPU_MODE_PEAK;
  memset(self->context_depth, 0, sizeof self->context_depth);
  sg_ordinals_fill(&self->ordinals, self->h.r, getenv("SCHEDGPU_DEVICES"), job->device_mask);
  atomic_store(&self->record, &self->h.r->client[self->h.slot]);
  return SCHEDGPU_OK;
}

int schedgpu_attach(void) {
  struct sg_self *self = sg_self();
  if (!self)
    return SCHEDGPU_ESYSTEM;
  pthread_mutex_lock(&self->mutex);
  int rc = sg_self_attach(self);
  pthread_mutex_unlock(&self->mutex);
  return rc;
}

int schedgpu_is_attached(void) {
  struct sg_self *self = atomic_load(&self_page);
  return self && atomic_load(&self->record) != NULL;
}

int schedgpu_detach(void) {
  struct sg_self *self = sg_self();
  if (!self)
    return SCHEDGPU_ESYSTEM;
  pthread_mutex_lock(&self->mutex);
  int rc = SCHEDGPU_OK;
  if (atomic_load(&self->record)) {
    rc = sg_lock_patiently(&self->h);
    if (rc == SCHEDGPU_OK) {
      struct sg_wakes wakes;
      wakes.count = 0; /* not the 2 KiB behind it */
      atomic_store(&self->record, NULL);
      sg_client_remove(self->h.r, self->h.slot, sg_now_ns(), &wakes);
      sg_unlock_and_wake(&self->h, &wakes);
      sg_close(&self->h);
    }
  }
  pthread_mutex_unlock(&self->mutex);
  return rc;
}

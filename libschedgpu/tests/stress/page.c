/* page.c - see page.h */
#include "page.h"
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static struct page *map(int fd) {
  struct page *p = mmap(NULL, sizeof *p, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd); /* a worker closes all descriptors, and its page stays */
  return p == MAP_FAILED ? NULL : p;
}

struct page *page_new(uint64_t seed) {
  char path[] = "/dev/shm/schedgpu-stress.XXXXXX";
  int fd = mkostemp(path, O_CLOEXEC);
  if (fd < 0)
    return NULL;
  struct page *p = ftruncate(fd, sizeof *p) == 0 ? map(fd) : NULL;
  if (!p) {
    unlink(path);
    return NULL;
  }
  snprintf(p->path, sizeof p->path, "%s", path);
  p->seed = seed;
  p->user = (uint32_t)getuid();
  return p;
}

struct page *page_open(const char *path) {
  int fd = open(path, O_RDWR | O_CLOEXEC);
  return fd < 0 ? NULL : map(fd);
}

void page_free(struct page *p) {
  unlink(p->path);
  munmap(p, sizeof *p);
}

void page_fail(struct page *p, const char *format, ...) {
  uint32_t nobody = 0;
  if (!atomic_compare_exchange_strong(&p->failed, &nobody, 1))
    return;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(p->failure, sizeof p->failure, format, arguments);
  va_end(arguments);
  atomic_store(&p->failed, 2);
}

bool page_failed(const struct page *p) {
  return atomic_load(&p->failed) != 0;
}

void entry_clear(struct entry *s) {
  for (uint32_t d = 0; d < DEVICES; d++) {
    let_go(&s->mem[d], held_bytes(atomic_load(&s->mem[d])));
    let_go(&s->ctx[d], held_bytes(atomic_load(&s->ctx[d])));
  }
}

uint64_t context_bytes(uint32_t device) {
  static const uint64_t bytes[DEVICES] = {64 * MIB, 32 * MIB, 0};
  return bytes[device];
}

uint64_t largest_request(uint32_t device) {
  return DEVICE_BYTES - 4 * context_bytes(device);
}

uint32_t random_mask(const struct page *p, struct dice *dice) {
  bool several = !p->single && dice_one_in(dice, 3);
  return several ? 1 + (uint32_t)dice_below(dice, (1u << DEVICES) - 1)
                 : 1u << dice_below(dice, DEVICES);
}

struct schedgpu_job_spec job_spec_of(const struct page *p, uint64_t job, struct dice *dice) {
  struct schedgpu_job_spec s = {
      .job_id = job,
      .kind = job_is_own(job) ? SCHEDGPU_JOB_RUN : SCHEDGPU_JOB_SLURM,
      .uid = p->user,
      .priority = (int32_t)dice_below(dice, 4) * 30,
      .mode = job_is_peak(job) ? SCHEDGPU_MODE_PEAK : SCHEDGPU_MODE_ONDEMAND,
      .device_mask = job_mask(job),
      .flags = job_is_own(job) ? SCHEDGPU_JOB_FLAG_OWNED : 0,
      .processes = (uint32_t)(job >> 16) % 4, /* not random: it may not change */
      .wait_ns = (int64_t)dice_below(dice, 40000000) + 1,
  };
  snprintf(s.name, sizeof s.name, "stress%llu", (unsigned long long)(job >> 16));
  for (uint32_t d = 0; d < DEVICES; d++) {
    uint64_t budget = GIB / 4 + dice_below(dice, largest_request(d) - GIB / 4);
    if (job_has_budget(job) && (s.device_mask & 1u << d))
      s.budget_bytes[d] = budget / UNIT_BYTES * UNIT_BYTES;
  }
  return s;
}

uint64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void nap_us(uint64_t us) {
  struct timespec t = {(time_t)(us / 1000000), (long)(us % 1000000) * 1000};
  nanosleep(&t, NULL);
}

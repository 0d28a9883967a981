/*
 * holders.c - describes in words which jobs hold memory of a device and wait for it. Reads without
 * the lock, because it is for messages only.
 */
#include "self.h"
#include <stdarg.h>
#include <stdio.h>

#define NAMED 4

struct line {
  char *text;
  size_t size, used;
};

__attribute__((format(printf, 2, 3))) static void add(struct line *l, const char *format, ...) {
  va_list arguments;
  if (l->used >= l->size)
    return;
  va_start(arguments, format);
  int n = vsnprintf(l->text + l->used, l->size - l->used, format, arguments);
  va_end(arguments);
  l->used += n > 0 ? (size_t)n : 0;
}

static void add_job(struct line *l, const struct sg_region *r, uint32_t job, uint32_t device,
                    bool own) {
  char held[24], queued[24];
  const struct sg_job *j = &r->job[job];
  add(l, "%sjob %llu (uid %u%s) holds %s", l->used ? ", " : "", (unsigned long long)j->id, j->uid,
      own ? ", this one" : "", schedgpu_format_bytes(sg_held_by(r, job, device), held));
  if (j->queued_bytes[device] != 0)
    add(l, " and waits for %s", schedgpu_format_bytes(j->queued_bytes[device], queued));
  else if (j->waiting != 0)
    add(l, " and waits");
}

/** The job with the most memory among those not named yet. */
static uint32_t next_holder(const struct sg_region *r, uint32_t device, const bool *named) {
  uint32_t most = SG_NONE;
  for (uint32_t j = 0; j < sg_jobs_end(r); j++)
    if (sg_job_active(r, j) && !named[j] && sg_held_by(r, j, device) != 0 &&
        (most == SG_NONE || sg_held_by(r, j, device) > sg_held_by(r, most, device)))
      most = j;
  return most;
}

void sg_holders_describe(const struct sg_self *self, uint32_t device, char *text, size_t size) {
  const struct sg_region *r = self->h.r;
  uint32_t left = 0;
  bool named[SCHEDGPU_MAX_JOBS] = {false};
  struct line line = {text, size, 0};
  for (uint32_t j = next_holder(r, device, named); j != SG_NONE;
       j = next_holder(r, device, named)) {
    named[j] = true;
    if (left++ < NAMED)
      add_job(&line, r, j, device, j == self->job);
  }
  if (left > NAMED)
    add(&line, ", and %u more", left - NAMED);
}

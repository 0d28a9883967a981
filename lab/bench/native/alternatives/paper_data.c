/* paper_data.c - see paper_data.h. */
#include "paper_data.h"
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>

#define MAGIC UINT64_C(0x5245504150)

void paper_fill(struct paper_data *d, uint64_t total_bytes) {
  memset(d, 0, sizeof *d);
  d->total_bytes = total_bytes;
  d->magic = MAGIC;
}

bool paper_sound(const struct paper_data *d) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < d->items_end; i++)
    sum += d->item[i].bytes;
  return d->magic == MAGIC && sum == d->used_bytes && sum <= d->total_bytes;
}

static struct paper_item *item_of(struct paper_data *d, pid_t pid) {
  struct paper_item *unused = NULL;
  for (uint32_t i = 0; i < d->items_end; i++) {
    if (d->item[i].pid == pid)
      return &d->item[i];
    if (d->item[i].pid == 0 && !unused)
      unused = &d->item[i];
  }
  if (!unused && d->items_end < PAPER_CLIENTS)
    unused = &d->item[d->items_end++];
  return unused;
}

static bool fits(const struct paper_data *d, uint64_t bytes) {
  return bytes <= d->total_bytes - d->used_bytes;
}

static bool add(struct paper_data *d, pid_t pid, uint64_t bytes) {
  struct paper_item *item = fits(d, bytes) ? item_of(d, pid) : NULL;
  if (!item)
    return false;
  item->pid = pid;
  item->bytes += bytes;
  d->used_bytes += bytes;
  return true;
}

bool paper_take(struct paper_data *d, pid_t pid, uint64_t bytes) {
  return d->waiting == 0 && add(d, pid, bytes);
}

bool paper_give(struct paper_data *d, pid_t pid, uint64_t bytes) {
  struct paper_item *item = item_of(d, pid);
  if (!item || item->pid != pid || item->bytes < bytes)
    return false;
  item->bytes -= bytes;
  d->used_bytes -= bytes;
  if (item->bytes == 0)
    item->pid = 0;
  return true;
}

uint64_t paper_holds(const struct paper_data *d, pid_t pid) {
  for (uint32_t i = 0; i < d->items_end; i++)
    if (d->item[i].pid == pid)
      return d->item[i].bytes;
  return 0;
}

static struct paper_waiter *free_place(struct paper_data *d) {
  for (uint32_t i = 0; i < d->queue_end; i++)
    if (d->queue[i].pid == 0)
      return &d->queue[i];
  return d->queue_end < PAPER_CLIENTS ? &d->queue[d->queue_end++] : NULL;
}

struct paper_waiter *paper_enqueue(struct paper_data *d, pid_t pid, uint64_t bytes) {
  struct paper_waiter *place = free_place(d);
  if (!place)
    return NULL;
  *place = (struct paper_waiter){.pid = pid, .bytes = bytes, .ticket = ++d->last_ticket};
  d->waiting++;
  return place;
}

void paper_leave_queue(struct paper_data *d, struct paper_waiter *w) {
  if (!w->granted)
    d->waiting--;
  *w = (struct paper_waiter){0};
}

static struct paper_waiter *oldest(struct paper_data *d) {
  struct paper_waiter *best = NULL;
  for (uint32_t i = 0; i < d->queue_end; i++) {
    struct paper_waiter *w = &d->queue[i];
    if (w->pid != 0 && !w->granted && (!best || w->ticket < best->ticket))
      best = w;
  }
  return best;
}

void paper_serve(struct paper_data *d, struct paper_served *served) {
  served->count = 0;
  while (d->waiting > 0) {
    struct paper_waiter *next = oldest(d);
    if (!next || !add(d, next->pid, next->bytes))
      return;
    next->granted = true;
    d->waiting--;
    served->pid[served->count++] = next->pid;
  }
}

static bool is_dead(pid_t pid) {
  return pid != 0 && kill(pid, 0) != 0 && errno == ESRCH;
}

void paper_drop_dead(struct paper_data *d) {
  for (uint32_t i = 0; i < d->queue_end; i++)
    if (is_dead(d->queue[i].pid))
      paper_leave_queue(d, &d->queue[i]);
  for (uint32_t i = 0; i < d->items_end; i++)
    if (is_dead(d->item[i].pid))
      paper_give(d, d->item[i].pid, d->item[i].bytes);
}

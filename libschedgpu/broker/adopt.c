/*
 * adopt.c - an agent that was started anew finds the clients of the one before: their records are
 * in the region, and their pages in their own memory, where root may look. So whatever a client
 * gives back counts, whether or not it ever speaks again.
 *
 * A client may show a page of its own making. It must be sealed as ours are, so that it cannot be
 * cut off; what stands in it is believed as little as what stands in ours.
 */
#include "broker.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE_NAME "/memfd:" SG_PAGE_NAME " "

static bool is_page(int fd) {
  struct stat st;
  const int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
  return fstat(fd, &st) == 0 && st.st_size == SG_PAGE_SIZE && fcntl(fd, F_GET_SEALS) == seals;
}

/** The file behind a line of /proc/PID/maps, mapped here as well. */
static struct sg_page *map_line(int32_t pid, const char *line) {
  unsigned long begin, end;
  char path[128];
  if (sscanf(line, "%lx-%lx", &begin, &end) != 2 || end - begin != SG_PAGE_SIZE)
    return NULL;
  snprintf(path, sizeof path, "/proc/%d/map_files/%lx-%lx", pid, begin, end);
  int fd =
      open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK); /* of whatever the process has mapped there */
  void *p = MAP_FAILED;
  if (fd >= 0 && is_page(fd))
    p = mmap(NULL, SG_PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (fd >= 0)
    close(fd);
  return p == MAP_FAILED ? NULL : p;
}

/** A process may have two: as the owner of a job, and as one of its clients. */
static bool is_of(const struct sg_page *page, uint32_t slot) {
  return page->slot == slot;
}

static struct sg_page *find_page(int32_t pid, uint32_t slot) {
  char path[64], *line = NULL;
  size_t size = 0;
  struct sg_page *page = NULL;
  snprintf(path, sizeof path, "/proc/%d/maps", pid);
  FILE *maps = fopen(path, "re");
  while (maps && !page && getline(&line, &size, maps) > 0)
    if (strstr(line, PAGE_NAME) && (page = map_line(pid, line)) && !is_of(page, slot)) {
      munmap(page, SG_PAGE_SIZE);
      page = NULL;
    }
  free(line);
  if (maps)
    fclose(maps);
  return page;
}

/** Of a job, and by its own liveness file: not one of the root side, nor of who writes itself. */
static bool is_served(const schedgpu_broker *b, uint32_t slot) {
  const struct sg_client *c = &b->r->client[slot];
  bool other = c->live_dev != b->r->h.live_dev || c->live_ino != b->r->h.live_ino;
  return c->state == SG_ACTIVE && other && sg_client_signed(b->r, slot) &&
         c->pid_namespace == b->pid_namespace && c->pid > 0;
}

/** Waits are told to the cells of which the page says so; the region knows whose they are. */
static void adopt_waits(schedgpu_broker *b, struct served *s) {
  for (uint32_t cell = 0; cell < SG_WIRE_CELLS; cell++) {
    struct sg_wire_wait wait = s->page->wait[cell];
    if (wait.waiter >= SCHEDGPU_MAX_WAITERS)
      continue;
    const struct sg_waiter *w = &b->r->waiter[wait.waiter];
    if (w->client == s->slot && w->ticket == wait.ticket &&
        atomic_load(&w->state) != SG_WAITER_FREE)
      sg_watch(b, s, wait.waiter, wait.ticket, cell);
  }
}

static void adopt(schedgpu_broker *b, uint32_t slot) {
  const struct sg_client *c = &b->r->client[slot];
  struct sg_person person = {c->uid, c->pid, c->pid_namespace};
  int pidfd = (int)syscall(SYS_pidfd_open, c->pid, 0);
  if (pidfd < 0)
    return;
  /* asked now: while it lives its pid is nobody else's */
  struct sg_page *page = sg_slot_dead(&b->admin->h, slot) ? NULL : find_page(c->pid, slot);
  struct served *s = page ? sg_served_new(b, &person, pidfd, page) : NULL;
  close(pidfd);
  if (!s && page)
    munmap(page, SG_PAGE_SIZE);
  if (!s)
    return;
  s->slot = slot;
  s->gen = c->agen;
  sg_served_add(b, NULL, s);
  adopt_waits(b, s);
}

void sg_adopt_all(schedgpu_broker *b) {
  for (uint32_t slot = SG_FIRST_CLIENT; slot < sg_clients_end(b->r); slot++)
    if (is_served(b, slot))
      adopt(b, slot);
}

/*
 * liveness.c - who is dead? The mapped OFD lock.
 *
 * A process locks its slot's byte of the liveness file, maps a page of that very open file, and
 * closes the descriptor. The mapping keeps the lock exactly as long as the address space lives:
 * through closefrom(), daemonising, SIGSTOP; not through exec, death, or into a forked child
 * (MADV_DONTFORK). No descriptor is kept, so none can be closed, or be mistaken for another file,
 * by the application.
 *
 * Whoever takes a byte bumps the slot's gen first; activating a record stores agen = gen. A record
 * is dead if agen != gen or its byte is free. Errors count as alive; pid and times are never asked.
 */
#include "shell.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#define LIVE_SIZE 4096

static int open_live(const struct sg_handle *h, int flags) {
  char path[PATH_MAX + 8];
  snprintf(path, sizeof path, "%s/" SG_LIVE_FILE, h->run_dir);
  return open(path, flags | O_CLOEXEC | O_NOFOLLOW);
}

static struct flock byte_lock(uint32_t slot) {
  return (struct flock){.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = slot, .l_len = 1};
}

static bool byte_free(int fd, uint32_t slot) {
  struct flock l = byte_lock(slot);
  return fcntl(fd, F_OFD_GETLK, &l) == 0 && l.l_type == F_UNLCK;
}

static bool byte_free_now(const struct sg_handle *h, uint32_t slot) {
  int fd = open_live(h, O_RDONLY);
  if (fd < 0)
    return false;
  bool is_free = byte_free(fd, slot);
  close(fd);
  return is_free;
}

static bool stale(const struct sg_handle *h, uint32_t slot) {
  const struct sg_client *c = &h->r->client[slot];
  return c->state == SG_ACTIVE && c->agen != atomic_load(&c->gen);
}

bool sg_slot_dead(const struct sg_handle *h, uint32_t slot) {
  if (slot >= SG_SLOTS || h->r->client[slot].state != SG_ACTIVE)
    return false;
  return stale(h, slot) || (slot != h->slot && byte_free_now(h, slot));
}

static uint32_t make_word(uint32_t slot, uint32_t gen) {
  return (slot + 1) | (gen & 0xfffff) << 11;
}

bool sg_owner_dead(const struct sg_handle *h, uint32_t word) {
  uint32_t slot = (word & 0x7ff) - 1;
  if (slot >= SG_SLOTS)
    return true; /* nobody writes such a word: damage */
  uint32_t gen = atomic_load(&h->r->client[slot].gen);
  if ((word & 0x7fffffff) != make_word(slot, gen))
    return true;
  return slot != h->slot && byte_free_now(h, slot);
}

uint32_t sg_find_dead(const struct sg_handle *h, uint16_t *slot, uint32_t capacity) {
  int fd = open_live(h, O_RDONLY);
  if (fd < 0)
    return 0;
  uint32_t n = 0;
  for (uint32_t i = 0; i < sg_clients_end(h->r) && n < capacity; i++)
    if (i != h->slot && h->r->client[i].state == SG_ACTIVE && (stale(h, i) || byte_free(fd, i)))
      slot[n++] = (uint16_t)i;
  close(fd);
  return n;
}

/** The record of an active slot is skipped at first: trying its byte costs a system call each. */
static int lock_a_byte(const struct sg_handle *h, int fd, uint32_t first, uint32_t end,
                       uint32_t *slot) {
  for (int pass = 0; pass < 2; pass++)
    for (uint32_t i = first; i < end; i++) {
      if ((h->r->client[i].state == SG_ACTIVE) != (pass == 1))
        continue;
      struct flock l = byte_lock(i);
      *slot = i;
      if (fcntl(fd, F_OFD_SETLK, &l) == 0)
        return SCHEDGPU_OK;
      if (errno != EAGAIN && errno != EACCES) /* not taken, but not to be locked at all */
        return SCHEDGPU_ESYSTEM;
    }
  return SCHEDGPU_EFULL;
}

/* A child forked between mmap and MADV_DONTFORK would keep its parent's byte locked, and so alive
   for ever: forks wait until the slot is taken. */
static pthread_mutex_t take_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t take_once = PTHREAD_ONCE_INIT;

static void forbid_take(void) {
  pthread_mutex_lock(&take_mutex);
}

static void allow_take(void) {
  pthread_mutex_unlock(&take_mutex);
}

static void watch_forks(void) {
  pthread_atfork(forbid_take, allow_take, allow_take);
}

static int take_slot(struct sg_handle *h, uint32_t first, uint32_t end) {
  int fd = open_live(h, O_RDWR);
  if (fd < 0)
    return errno == EACCES || errno == EPERM ? SCHEDGPU_EPERM : SCHEDGPU_ESYSTEM;
  uint32_t slot;
  int rc = lock_a_byte(h, fd, first, end, &slot);
  if (rc != SCHEDGPU_OK) {
    close(fd);
    return rc;
  }
  void *live = mmap(NULL, LIVE_SIZE, PROT_READ, MAP_SHARED, fd, 0);
  if (live != MAP_FAILED)
    madvise(live, LIVE_SIZE, MADV_DONTFORK);
  close(fd);
  if (live == MAP_FAILED)
    return SCHEDGPU_ESYSTEM;
  uint32_t gen = atomic_fetch_add(&h->r->client[slot].gen, 1) + 1;
  sg_crash_point();
  h->slot = slot;
  h->word = make_word(slot, gen);
  h->live = live;
  return SCHEDGPU_OK;
}

int sg_slot_take(struct sg_handle *h, uint32_t first, uint32_t end) {
  int cancel_state;
  pthread_once(&take_once, watch_forks);
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
  pthread_mutex_lock(&take_mutex);
  int rc = take_slot(h, first, end);
  pthread_mutex_unlock(&take_mutex);
  pthread_setcancelstate(cancel_state, NULL);
  return rc;
}

void sg_slot_drop(struct sg_handle *h) {
  if (h->live)
    munmap(h->live, LIVE_SIZE);
  h->live = NULL;
  h->slot = SG_NONE;
  h->word = 0;
}

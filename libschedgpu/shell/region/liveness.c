/*
 * liveness.c - decides which clients are dead, by a mapped lock of an open file description.
 *
 * A process locks its slot's byte of the liveness file, maps a page of that open file, and closes
 * the descriptor. The mapping keeps the lock exactly as long as the address space lives: through
 * closefrom(), daemonising and SIGSTOP, but not through exec, death, or into a forked child
 * (MADV_DONTFORK). As no descriptor is kept, the application can neither close it nor reuse its
 * number.
 *
 * A process that takes a byte first increments the slot's gen; activating a record stores agen =
 * gen. A record is dead if agen != gen or its byte is free. Errors count as alive; pids and times
 * are never used.
 *
 * There are two files, `live` for the slots of clients and `live.root` for those of the root side,
 * because the kernel goes through all locks of a file to set one, and a hook would pay for a
 * thousand.
 *
 * The header names each file by device and inode; no other file counts. If a file was deleted and
 * setup created a new one, a record that is locked in the old one is dead only if its process
 * certainly has ended. Its slot is not given away, and its process also locks the new file as soon
 * as it holds the lock. An inode number is not reused while a process maps the file, so equal
 * numbers never mean an older file of a live process.
 *
 * If only the agent writes the region, it creates a file for each broker client, locks the byte
 * there, and sends the open file to the process, which maps it as above. So the same rule applies,
 * also while no agent runs, and a client can lock no byte but its own.
 */
#include "../../core/repair/integrity.h"
#include "segment.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define LIVE_SIZE 4096

/** Identity of a file: of `fd`, or the one that the region names. */
struct identity {
  uint64_t dev;
  uint64_t ino;
};

static struct identity named(const struct sg_region *r, uint32_t slot) {
  return (struct identity){r->h.live_dev, sg_live_ino(r, slot)};
}

static bool same(struct identity a, struct identity b) {
  return a.dev == b.dev && a.ino == b.ino;
}

/** Opens the liveness file of these slots. -1 also if it is another file than `wanted`. */
static int open_live(const struct sg_handle *h, uint32_t slot, int flags, struct identity wanted) {
  char path[PATH_MAX + 16];
  struct stat st;
  snprintf(path, sizeof path, "%s/%s", h->run_dir,
           slot < SG_FIRST_CLIENT ? SG_ROOT_LIVE_FILE : SG_LIVE_FILE);
  int fd = open(path, flags | O_CLOEXEC | O_NOFOLLOW);
  if (fd >= 0 && fstat(fd, &st) == 0 &&
      same(wanted, (struct identity){(uint64_t)st.st_dev, (uint64_t)st.st_ino}))
    return fd;
  if (fd >= 0) {
    close(fd);
    errno = ESTALE;
  }
  return -1;
}

/** Opens the named file to test bytes. */
static int open_named(const struct sg_handle *h, uint32_t slot) {
  return open_live(h, slot, O_RDONLY, named(h->r, slot));
}

static void close_named(int fd) {
  if (fd >= 0)
    close(fd);
}

bool sg_live_file_current(const struct sg_handle *h, uint32_t slot) {
  int fd = open_named(h, slot);
  bool right = fd >= 0 || errno == EACCES;
  close_named(fd);
  return right;
}

bool sg_live_files_current(const struct sg_handle *h) {
  return sg_live_file_current(h, SG_FIRST_ADMIN) && sg_live_file_current(h, SG_FIRST_CLIENT);
}

static struct flock byte_lock(uint32_t slot) {
  return (struct flock){.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = slot, .l_len = 1};
}

static bool byte_free(int fd, uint32_t slot) {
  struct flock l = byte_lock(slot);
  return fcntl(fd, F_OFD_GETLK, &l) == 0 && l.l_type == F_UNLCK;
}

/** True if no other process maps the segment. Every process that does may have written its
 * content. */
static bool no_other_process(const struct sg_handle *h) {
  struct shmid_ds facts;
  return sg_segment_facts(h, &facts) && facts.shm_nattch == 1;
}

/**
 * Opens the liveness file of the broker client that is or was in the slot, and identifies it; or
 * -1.
 */
static int open_client_file(const struct sg_handle *h, uint32_t slot, struct identity *found) {
  char path[PATH_MAX + 32];
  struct stat st;
  snprintf(path, sizeof path, "%s/" SG_BROKER_CLIENTS_DIR "/%u", h->run_dir, slot);
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (fd >= 0 && fstat(fd, &st) == 0) {
    *found = (struct identity){(uint64_t)st.st_dev, (uint64_t)st.st_ino};
    return fd;
  }
  if (fd >= 0)
    close(fd);
  return -1;
}

/** True if the slot has a live broker client, whatever its record says; identifies its file. */
static bool has_broker_client(const struct sg_handle *h, uint32_t slot, struct identity *found) {
  int fd = open_client_file(h, slot, found);
  bool locked = fd >= 0 && !byte_free(fd, slot);
  if (fd >= 0)
    close(fd);
  return locked;
}

bool sg_broker_client_lives(const struct sg_handle *h, uint32_t slot, uint64_t live_dev,
                            uint64_t live_ino) {
  struct identity found;
  if (!has_broker_client(h, slot, &found) || !same(found, (struct identity){live_dev, live_ino}))
    return false;
  int fd = open_named(h, slot);
  /* a process that writes the region itself has the slot */
  bool taken = fd >= 0 && !byte_free(fd, slot);
  close_named(fd);
  return !taken;
}

/** True if the process is dead, by its byte where that is certain; `fd` is the named file,
 * or -1. */
static bool process_dead(const struct sg_handle *h, int fd, uint32_t slot) {
  const struct sg_client *c = &h->r->client[slot];
  struct identity file = {c->live_dev, c->live_ino}, found;
  if (!sg_client_signed(h->r, slot)) /* a record without a signature is not trusted */
    return fd >= 0 && byte_free(fd, slot) && !has_broker_client(h, slot, &found);
  /* A slot that was never taken names no file. Its byte, if any, is in the named file. */
  if (c->live_ino == 0 || same(file, named(h->r, slot)))
    return fd >= 0 && byte_free(fd, slot);
  int client_fd = open_client_file(h, slot, &found);
  bool dead = client_fd >= 0 && byte_free(client_fd, slot);
  if (client_fd >= 0)
    close(client_fd);
  if (client_fd >= 0 && same(file, found))
    return dead;
  return sg_process_gone(c->pid, c->pid_namespace) || no_other_process(h);
}

static bool process_dead_now(const struct sg_handle *h, uint32_t slot) {
  int fd = open_named(h, slot);
  bool dead = process_dead(h, fd, slot);
  close_named(fd);
  return dead;
}

/** Reads the generation in the record. False if it is damaged. */
static bool gen_of(const struct sg_handle *h, uint32_t slot, uint32_t *gen) {
  const struct sg_client *c = &h->r->client[slot];
  *gen = atomic_load(&c->gen);
  return *(const volatile uint32_t *)&c->gen_seal == sg_gen_seal(slot, *gen);
}

/**
 * True if another process took the byte since. A damaged generation says nothing; then the byte
 * decides.
 */
static bool stale(const struct sg_handle *h, uint32_t slot) {
  const struct sg_client *c = &h->r->client[slot];
  uint32_t gen, agen = c->agen;
  return c->state == SG_ACTIVE && gen_of(h, slot, &gen) && agen != gen &&
         c->agen_seal == sg_gen_seal(slot, agen);
}

bool sg_slot_dead(const struct sg_handle *h, uint32_t slot) {
  if (slot >= SG_SLOTS || h->r->client[slot].state != SG_ACTIVE)
    return false;
  return stale(h, slot) || (slot != h->slot && process_dead_now(h, slot));
}

static uint32_t make_word(uint32_t slot, uint32_t gen) {
  return (slot + 1) | (gen & 0xfffff) << 11;
}

bool sg_owner_dead(const struct sg_handle *h, uint32_t word) {
  uint32_t slot = (word & 0x7ff) - 1;
  if (slot >= SG_SLOTS)
    return true; /* an impossible word: damage */
  uint32_t gen;
  if (gen_of(h, slot, &gen) && (word & 0x7fffffff) != make_word(slot, gen))
    return true;
  return slot != h->slot && process_dead_now(h, slot);
}

/** True if another process is dead; `fd` is the named file of its slot. */
static bool other_dead(const struct sg_handle *h, int fd, uint32_t slot) {
  return slot != h->slot && h->r->client[slot].state == SG_ACTIVE &&
         (stale(h, slot) || process_dead(h, fd, slot));
}

/** Adds the dead clients among the slots of one file, [first, end). */
static uint32_t add_dead(const struct sg_handle *h, uint32_t first, uint32_t end, uint16_t *slot,
                         uint32_t n, uint32_t capacity) {
  int fd = open_named(h, first);
  for (uint32_t i = first; i < end && n < capacity; i++)
    if (other_dead(h, fd, i))
      slot[n++] = (uint16_t)i;
  close_named(fd);
  return n;
}

uint32_t sg_find_dead_of_root(const struct sg_handle *h, uint16_t *slot, uint32_t capacity) {
  uint32_t end = sg_clients_end(h->r);
  return add_dead(h, 0, end < SG_FIRST_CLIENT ? end : SG_FIRST_CLIENT, slot, 0, capacity);
}

uint32_t sg_find_dead(const struct sg_handle *h, uint16_t *slot, uint32_t capacity) {
  uint32_t n = sg_find_dead_of_root(h, slot, capacity);
  return add_dead(h, SG_FIRST_CLIENT, sg_clients_end(h->r), slot, n, capacity);
}

/**
 * Scans take at most a CPU divided by this. A scan of n processes takes n * n steps in the kernel:
 * 2 ms for 1,024, 25 us for 64.
 */
#define SCAN_SHARE 20
#define SCAN_MOST_NS UINT64_C(5000000) /* a longer scan was preempted */

bool sg_dead_scan_due(struct sg_region *r, uint64_t now_ns, uint64_t period_ns) {
  uint64_t last_ns = atomic_load(&r->h.scanned_ns);
  uint64_t took_ns = atomic_load(&r->h.scan_took_ns);
  uint64_t rest_ns = SCAN_SHARE * (took_ns < SCAN_MOST_NS ? took_ns : SCAN_MOST_NS);
  if (last_ns <= now_ns && now_ns - last_ns < (rest_ns > period_ns ? rest_ns : period_ns))
    return false;
  return atomic_compare_exchange_strong(&r->h.scanned_ns, &last_ns, now_ns);
}

bool sg_dead_scan(const struct sg_handle *h) {
  uint16_t dead[SG_SLOTS];
  uint64_t start_ns = sg_now_ns();
  bool found = sg_find_dead(h, dead, SG_SLOTS) > 0;
  atomic_store_explicit(&h->r->h.scan_took_ns, sg_now_ns() - start_ns, memory_order_relaxed);
  return found;
}

bool sg_dead_scan_job(const struct sg_handle *h, uint32_t job) {
  int fd = open_named(h, SG_FIRST_CLIENT);
  bool found = false;
  for (uint32_t i = SG_FIRST_CLIENT; i < sg_clients_end(h->r) && !found; i++)
    found = h->r->client[i].job == job && other_dead(h, fd, i);
  close_named(fd);
  return found;
}

bool sg_job_dead(const struct sg_handle *h, const struct sg_job *job, uint32_t j) {
  if (job->state != SG_ACTIVE || !(job->flags & SCHEDGPU_JOB_FLAG_OWNED))
    return false;
  if (sg_owner_attached(h->r, job) && !sg_slot_dead(h, job->owner_slot))
    return false;
  for (uint32_t i = SG_FIRST_CLIENT; i < sg_clients_end(h->r); i++)
    if (h->r->client[i].state == SG_ACTIVE && h->r->client[i].job == j && !sg_slot_dead(h, i))
      return false;
  return true;
}

/** True if there may be broker clients, whose files only root may read. */
static bool may_have_broker_clients(const struct sg_handle *h) {
  char path[PATH_MAX + 32];
  snprintf(path, sizeof path, "%s/" SG_BROKER_CLIENTS_DIR, h->run_dir);
  return access(path, X_OK) == 0;
}

/** Adds unrecorded processes among the slots of one file, [first, end). */
static uint32_t add_unrecorded(const struct sg_handle *h, uint32_t first, uint32_t end,
                               struct sg_live_slot *live, uint32_t n) {
  int fd = open_named(h, first);
  bool with_clients = first >= SG_FIRST_CLIENT && may_have_broker_clients(h);
  for (uint32_t i = first; fd >= 0 && i < end; i++) {
    struct identity file;
    if ((i == h->slot && !h->attached) || h->r->client[i].state != SG_FREE)
      continue;
    if (!byte_free(fd, i))
      live[n++] = (struct sg_live_slot){sg_live_ino(h->r, i), i};
    else if (with_clients && has_broker_client(h, i, &file) && file.dev == h->r->h.live_dev)
      live[n++] = (struct sg_live_slot){file.ino, i};
  }
  close_named(fd);
  return n;
}

uint32_t sg_find_unrecorded(const struct sg_handle *h, struct sg_live_slot *live) {
  uint32_t n = add_unrecorded(h, SG_FIRST_ADMIN, SG_FIRST_CLIENT, live, 0);
  return add_unrecorded(h, SG_FIRST_CLIENT, SG_SLOTS, live, n);
}

/** True if a live process locked its byte in an older file; here that byte looks free. */
static bool locked_elsewhere(const struct sg_handle *h, uint32_t slot) {
  const struct sg_client *c = &h->r->client[slot];
  return c->state == SG_ACTIVE && !stale(h, slot) &&
         !same((struct identity){c->live_dev, c->live_ino}, named(h->r, slot)) &&
         !process_dead(h, -1, slot);
}

/**
 * Locks a free byte. Skips slots with an active record at first, as each attempt costs a system
 * call.
 */
static int lock_a_byte(const struct sg_handle *h, int fd, uint32_t first, uint32_t end,
                       uint32_t *slot) {
  for (int pass = 0; pass < 2; pass++)
    for (uint32_t i = first; i < end; i++) {
      if ((h->r->client[i].state == SG_ACTIVE) != (pass == 1) || locked_elsewhere(h, i))
        continue;
      struct flock l = byte_lock(i);
      *slot = i;
      if (fcntl(fd, F_OFD_SETLK, &l) == 0)
        return SCHEDGPU_OK;
      if (errno != EAGAIN && errno != EACCES) /* not taken, but locking failed */
        return SCHEDGPU_ESYSTEM;
    }
  return SCHEDGPU_EFULL;
}

/** Maps a page of the open file, which keeps its locks, and closes the descriptor. */
static void *map_and_close(int fd) {
  void *live = mmap(NULL, LIVE_SIZE, PROT_READ, MAP_SHARED, fd, 0);
  if (live != MAP_FAILED)
    madvise(live, LIVE_SIZE, MADV_DONTFORK);
  close(fd);
  return live;
}

/** Signs the slot; only the holder of its byte does. The record may still be that of a dead
 * process. */
static uint32_t sign(struct sg_handle *h, uint32_t slot, struct identity live) {
  struct sg_client *c = &h->r->client[slot];
  h->pid_namespace = sg_pid_namespace();
  uint32_t gen = atomic_fetch_add(&c->gen, 1) + 1;
  sg_crash_point();
  SG_PUT(c->gen_seal, sg_gen_seal(slot, gen));
  SG_PUT(c->live_dev, live.dev);
  SG_PUT(c->live_ino, live.ino);
  SG_PUT(c->pid, (int32_t)getpid());
  SG_PUT(c->pid_namespace, h->pid_namespace);
  return gen;
}

static int take_slot(struct sg_handle *h, uint32_t first, uint32_t end) {
  struct identity wanted =
      h->repairing ? (struct identity){h->live_dev, h->live_ino} : named(h->r, first);
  int fd = open_live(h, first, O_RDWR, wanted);
  if (fd < 0)
    return errno == EACCES || errno == EPERM || errno == EROFS ? SCHEDGPU_EPERM
           : errno == ENOENT || errno == ESTALE                ? SCHEDGPU_ECORRUPT
                                                               : SCHEDGPU_ESYSTEM;
  uint32_t slot;
  int rc = lock_a_byte(h, fd, first, end, &slot);
  if (rc != SCHEDGPU_OK) {
    close(fd);
    return rc;
  }
  void *live = map_and_close(fd);
  if (live == MAP_FAILED)
    return SCHEDGPU_ESYSTEM;
  h->gen = sign(h, slot, wanted);
  h->word = make_word(slot, h->gen);
  h->slot = slot;
  h->live = live;
  h->live_dev = wanted.dev;
  h->live_ino = wanted.ino;
  return SCHEDGPU_OK;
}

int sg_slot_take(struct sg_handle *h, uint32_t first, uint32_t end) {
  int cancel_state;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
  sg_forbid_forks();
  int rc = take_slot(h, first, end);
  sg_allow_forks();
  pthread_setcancelstate(cancel_state, NULL);
  return rc;
}

/** Locks the byte in the file that is named now, in addition to the one in the older file. */
static void *lock_again(const struct sg_handle *h) {
  int fd = open_live(h, h->slot, O_RDWR, named(h->r, h->slot));
  struct flock l = byte_lock(h->slot);
  if (fd < 0)
    return MAP_FAILED;
  if (fcntl(fd, F_OFD_SETLK, &l) == 0)
    return map_and_close(fd);
  close(fd);
  return MAP_FAILED;
}

bool sg_slot_renew(struct sg_handle *h) {
  struct sg_client *c = &h->r->client[h->slot];
  if (c->state != SG_ACTIVE || c->agen != h->gen || atomic_load(&c->gen) != h->gen)
    return false; /* taken, but not activated: it may belong to another process now */
  sg_forbid_forks();
  void *live = lock_again(h);
  sg_allow_forks();
  if (live == MAP_FAILED)
    return true; /* stays in the older file, and alive as long as its process is */
  if (h->live)
    munmap(h->live, LIVE_SIZE);
  h->live = live;
  h->live_dev = h->r->h.live_dev;
  h->live_ino = sg_live_ino(h->r, h->slot);
  SG_PUT(c->live_ino, 0); /* no file: a process killed here counts for an older file */
  SG_PUT(c->live_dev, h->live_dev);
  SG_PUT(c->live_ino, h->live_ino);
  return true;
}

void sg_slot_drop(struct sg_handle *h) {
  if (h->live)
    munmap(h->live, LIVE_SIZE);
  h->live = NULL;
  h->attached = false;
  h->slot = SG_NONE;
  h->word = 0;
}

/*
 * adopt.c - adopts the clients of an earlier agent after a restart. Their records are in the
 * region, their pages in their own memory (find_pages.c). So memory that a client releases is
 * counted even if the client never sends a message again.
 *
 * A separate thread searches, because the searched process decides how long that takes and can
 * block it forever. The loop serves other clients meanwhile. Processes of different users take
 * turns. If one process takes longer than STUCK_NS, no other process of its user is searched, and a
 * new thread continues with the rest.
 */
#include "broker.h"
#include "find_pages.h"
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#define STUCK_NS UINT64_C(2000000000)

/** A process, and its slots among `wanted`. */
struct candidate {
  int32_t pid;
  uint32_t uid;
  int pidfd;
  uint32_t first;
  uint32_t count;
  uint32_t rank; /**< number of processes of the same user before it */
  bool scanned;
  bool taken; /**< the loop has adopted it */
};

/** Shared by the loop and the searching threads. The last user frees it. */
struct sg_adoption {
  pthread_mutex_t mutex;
  uint32_t users;
  int event_fd;
  uint32_t thread; /**< number of the thread whose results count; earlier ones are stuck */
  bool closed;
  bool denied;
  uint32_t next;
  uint32_t now; /**< index of the process being searched; `count`: none */
  uint64_t since_ns;
  uint32_t count;
  struct candidate candidate[SCHEDGPU_MAX_CLIENTS];
  struct sg_wanted wanted[SCHEDGPU_MAX_CLIENTS];
};

/**
 * True for a record of a broker client: it belongs to a job and has its own liveness file. Records
 * of the root side have no job; processes that write the region share a liveness file.
 */
static bool is_broker_client(const schedgpu_broker *b, uint32_t slot) {
  const struct sg_client *c = &b->r->client[slot];
  bool other = c->live_dev != b->r->h.live_dev || c->live_ino != b->r->h.live_ino;
  return c->state == SG_ACTIVE && other && sg_client_signed(b->r, slot) &&
         c->pid_namespace == b->pid_namespace && c->pid > 0;
}

/* --- the list of processes --- */

static void add_slots(const schedgpu_broker *b, struct sg_adoption *a, struct candidate *p,
                      uint32_t *wanted) {
  for (uint32_t slot = SG_FIRST_CLIENT; slot < sg_clients_end(b->r); slot++) {
    const struct sg_client *c = &b->r->client[slot];
    if (!is_broker_client(b, slot) || c->pid != p->pid || c->uid != p->uid ||
        *wanted >= SCHEDGPU_MAX_CLIENTS || sg_slot_dead(&b->admin->h, slot))
      continue; /* checked with the pidfd open: while the process lives its pid is not reused */
    a->wanted[(*wanted)++] = (struct sg_wanted){slot, c->agen, NULL};
    p->count++;
  }
}

static bool known(const struct sg_adoption *a, const struct sg_client *c) {
  for (uint32_t i = 0; i < a->count; i++)
    if (a->candidate[i].pid == c->pid && a->candidate[i].uid == c->uid)
      return true;
  return false;
}

static uint32_t count_of_user(const struct sg_adoption *a, uint32_t uid) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < a->count; i++)
    n += a->candidate[i].uid == uid;
  return n;
}

static int by_rank(const void *a, const void *b) {
  const struct candidate *p = a, *q = b;
  return p->rank != q->rank ? (p->rank < q->rank ? -1 : 1) : (p->first < q->first ? -1 : 1);
}

static void collect(const schedgpu_broker *b, struct sg_adoption *a) {
  uint32_t wanted = 0;
  for (uint32_t slot = SG_FIRST_CLIENT; slot < sg_clients_end(b->r); slot++) {
    const struct sg_client *c = &b->r->client[slot];
    if (!is_broker_client(b, slot) || known(a, c) || a->count >= SCHEDGPU_MAX_CLIENTS)
      continue;
    struct candidate *p = &a->candidate[a->count];
    *p = (struct candidate){.pid = c->pid,
                            .uid = c->uid,
                            .pidfd = sg_pidfd_open(c->pid),
                            .first = wanted,
                            .rank = count_of_user(a, c->uid)};
    if (p->pidfd < 0)
      continue;
    add_slots(b, a, p, &wanted);
    if (p->count > 0)
      a->count++;
    else
      close(p->pidfd);
  }
  qsort(a->candidate, a->count, sizeof a->candidate[0], by_rank);
}

/* --- the searching thread --- */

/** Call with the mutex, which this releases. */
static void release_adoption(struct sg_adoption *a) {
  bool last = --a->users == 0;
  pthread_mutex_unlock(&a->mutex);
  if (!last)
    return;
  for (uint32_t i = 0; i < a->count; i++) {
    sg_forget_pages(&a->wanted[a->candidate[i].first], a->candidate[i].count);
    close(a->candidate[i].pidfd);
  }
  close(a->event_fd);
  pthread_mutex_destroy(&a->mutex);
  free(a);
}

static void notify_loop(const struct sg_adoption *a) {
  uint64_t one = 1;
  if (write(a->event_fd, &one, sizeof one) != sizeof one)
    return; /* the counter is full, so the loop is awake anyway */
}

/**
 * Call with the mutex, which is released during the search. Results of a stuck thread are dropped.
 */
static void scan_process(struct sg_adoption *a, uint32_t thread, struct candidate *p) {
  struct sg_wanted wanted[SCHEDGPU_MAX_CLIENTS];
  const struct candidate asked = *p;
  bool denied = false;
  memcpy(wanted, &a->wanted[p->first], p->count * sizeof wanted[0]);
  pthread_mutex_unlock(&a->mutex);
  sg_find_pages(asked.pid, asked.pidfd, wanted, asked.count, &denied);
  pthread_mutex_lock(&a->mutex);
  if (a->thread != thread || a->closed) {
    sg_forget_pages(wanted, asked.count);
    return;
  }
  memcpy(&a->wanted[asked.first], wanted, asked.count * sizeof wanted[0]);
  a->denied |= denied;
  p->scanned = true;
  a->now = a->count;
  notify_loop(a);
}

static void *scan_all(void *adoption) {
  struct sg_adoption *a = adoption;
  pthread_mutex_lock(&a->mutex);
  uint32_t thread = a->thread;
  while (a->thread == thread && !a->closed && a->next < a->count) {
    struct candidate *p = &a->candidate[a->next];
    a->now = a->next++;
    a->since_ns = sg_now_ns();
    if (!p->scanned)
      scan_process(a, thread, p);
  }
  release_adoption(a);
  return NULL;
}

/** Call with the mutex. */
static bool start_thread(struct sg_adoption *a) {
  pthread_t thread;
  pthread_attr_t detached;
  sigset_t all, before;
  sigfillset(&all);
  pthread_attr_init(&detached);
  pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  a->users++;
  bool started = pthread_create(&thread, &detached, scan_all, a) == 0;
  if (!started)
    a->users--;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&detached);
  return started;
}

/* --- the loop --- */

/** Watches the client's wait if the page says that the client still counts on it. */
static void adopt_wait(schedgpu_broker *b, struct broker_client *s) {
  const struct sg_waiter *w = &b->r->waiter[s->slot];
  if (atomic_load(&w->state) != SG_WAITER_FREE && w->ticket == s->page->wait.ticket)
    sg_watch(b, s, w->ticket);
  s->waits_for_turn = atomic_load(&s->page->turn_waits) != 0;
}

/** True if the record is unchanged since the search, and the client has not connected by itself. */
static bool still_wanted(const schedgpu_broker *b, const struct candidate *p,
                         const struct sg_wanted *w) {
  const struct sg_client *c = &b->r->client[w->slot];
  return is_broker_client(b, w->slot) && c->agen == w->gen && c->pid == p->pid &&
         c->uid == p->uid && !sg_broker_client_in_slot(b, w->slot) &&
         !sg_slot_dead(&b->admin->h, w->slot);
}

static void adopt(schedgpu_broker *b, const struct candidate *p, struct sg_wanted *w) {
  struct sg_process process = {p->uid, p->pid, b->pid_namespace};
  bool wanted = still_wanted(b, p, w);
  struct broker_client *s =
      wanted && w->page ? sg_broker_client_new(b, &process, p->pidfd, w->page) : NULL;
  if (!s) {
    b->stats.not_adopted += wanted;
    sg_forget_pages(w, 1);
    return;
  }
  w->page = NULL;
  s->slot = w->slot;
  s->gen = w->gen;
  sg_broker_client_add(b, NULL, s);
  adopt_wait(b, s);
  b->stats.adopted++;
}

void sg_adopt_begin(schedgpu_broker *b) {
  struct sg_adoption *a = calloc(1, sizeof *a);
  if (!a)
    return;
  pthread_mutex_init(&a->mutex, NULL);
  a->users = 1;
  a->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  collect(b, a);
  a->now = a->count;
  b->adoption = a;
  struct epoll_event event = {.events = EPOLLIN, .data.ptr = &b->adoption};
  if (a->count == 0 || a->event_fd < 0 ||
      epoll_ctl(b->epoll_fd, EPOLL_CTL_ADD, a->event_fd, &event) != 0 || !start_thread(a))
    sg_adopt_end(b);
  b->stats.adopting = b->adoption != NULL;
}

/** Call with the mutex. Skips all processes of the user whose process blocks the thread. */
static void give_up_stuck(schedgpu_broker *b, struct sg_adoption *a, uint64_t now_ns) {
  if (a->now >= a->count || now_ns < a->since_ns + STUCK_NS)
    return;
  uint32_t uid = a->candidate[a->now].uid;
  for (uint32_t i = a->now; i < a->count; i++)
    a->candidate[i].scanned |= a->candidate[i].uid == uid;
  a->now = a->count;
  a->thread++;
  b->stats.stuck++;
  if (!start_thread(a))
    a->next = a->count;
}

void sg_adopt_tick(schedgpu_broker *b, uint64_t now_ns) {
  struct sg_adoption *a = b->adoption;
  if (!a)
    return;
  uint64_t count;
  if (read(a->event_fd, &count, sizeof count) != sizeof count)
    count = 0; /* called by the timer, not by a thread */
  pthread_mutex_lock(&a->mutex);
  give_up_stuck(b, a, now_ns);
  uint32_t left = 0;
  for (uint32_t i = 0; i < a->count; i++) {
    struct candidate *p = &a->candidate[i];
    for (uint32_t k = 0; p->scanned && !p->taken && k < p->count; k++)
      adopt(b, p, &a->wanted[p->first + k]);
    p->taken |= p->scanned;
    left += !p->taken;
  }
  b->stats.adoption_denied |= a->denied;
  pthread_mutex_unlock(&a->mutex);
  if (left == 0)
    sg_adopt_end(b);
}

void sg_adopt_end(schedgpu_broker *b) {
  struct sg_adoption *a = b->adoption;
  b->stats.adopting = 0;
  b->adoption = NULL;
  if (!a)
    return;
  if (a->event_fd >= 0)
    epoll_ctl(b->epoll_fd, EPOLL_CTL_DEL, a->event_fd, NULL);
  pthread_mutex_lock(&a->mutex);
  a->closed = true;
  release_adoption(a);
}

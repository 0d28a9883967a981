/*
 * clients.c - broker clients attach, resume after their connection broke, and detach. The kernel
 * says which process connected; the region says what it has. A message is believed in neither.
 */
#include "broker.h"
#include "../shell/sys/cgroup_job.h"
#include "../shell/sys/small_file.h"
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <unistd.h>
#include <fcntl.h>

#define CGROUP_BYTES 16384

static bool process_lives(const struct connection *c) {
  struct pollfd p = {.fd = c->pidfd, .events = POLLIN};
  return poll(&p, 1, 0) == 0;
}

int sg_job_of_cgroup(const schedgpu_broker *b, const struct connection *c, uint64_t *id) {
  struct sg_group_job job;
  char path[64], text[CGROUP_BYTES];
  snprintf(path, sizeof path, "/proc/%d/cgroup", c->pid);
  *id = 0;
  bool read = sg_read_small_file(path, text, sizeof text) && strlen(text) < sizeof text - 1;
  if (!process_lives(c))
    return SCHEDGPU_EPERM; /* the pid may have been reused before the file was read */
  if (read && sg_cgroup_job(text, &job)) {
    if (!sg_group_job_id(b->run_dir, &job, id))
      *id = SG_UNKNOWN_JOB;
  } else if (!read && access("/proc/self/cgroup", F_OK) == 0) { /* a kernel with control groups */
    return SCHEDGPU_ESYSTEM; /* the process may be in a Slurm job, so nothing is given */
  }
  return SCHEDGPU_OK;
}

/**
 * Fills `key` with the job that the process asks to join. A process in the control group of a Slurm
 * job may join no other job. This includes jobs that its user began, since those have a second
 * budget. ENOJOB also hides jobs of other users.
 */
static int check_job(const schedgpu_broker *b, const struct connection *c,
                     const struct sg_wire_attach *attach, struct sg_job_key *key) {
  uint64_t actual;
  int rc = sg_job_of_cgroup(b, c, &actual);
  if (rc != SCHEDGPU_OK)
    return rc;
  if (attach->kind != SCHEDGPU_JOB_SLURM && attach->kind != SCHEDGPU_JOB_RUN)
    return SCHEDGPU_EINVAL;
  *key = (struct sg_job_key){attach->kind, attach->id, c->uid};
  bool other = actual != 0 && (attach->kind != SCHEDGPU_JOB_SLURM || attach->id != actual ||
                               actual == SG_UNKNOWN_JOB);
  return other && c->uid != 0 ? SCHEDGPU_ENOJOB : SCHEDGPU_OK;
}

struct broker_client *sg_broker_client_new(schedgpu_broker *b, const struct sg_process *process,
                                           int pidfd, struct sg_page *page) {
  struct broker_client *s = calloc(1, sizeof *s);
  struct user *user = sg_user_of(b, process->uid);
  if (s && user) {
    *s = (struct broker_client){.process = *process, .user = user, .page = page, .renewed_fd = -1};
    s->pidfd = fcntl(pidfd, F_DUPFD_CLOEXEC, 0);
    struct epoll_event event = {.events = EPOLLIN, .data.u64 = (uintptr_t)s | 1};
    if (s->pidfd >= 0 && epoll_ctl(b->epoll_fd, EPOLL_CTL_ADD, s->pidfd, &event) == 0)
      return s;
    if (s->pidfd >= 0)
      close(s->pidfd);
  }
  free(s);
  return NULL;
}

static struct broker_client *new_client(schedgpu_broker *b, const struct connection *c,
                                        int *page_fd) {
  struct sg_process process = {c->uid, c->pid, b->pid_namespace};
  struct sg_page *page = sg_page_make(page_fd);
  struct broker_client *s = page ? sg_broker_client_new(b, &process, c->pidfd, page) : NULL;
  if (!s && page) {
    munmap(page, SG_PAGE_SIZE);
    close(*page_fd);
    *page_fd = -1;
  }
  return s;
}

/**
 * Frees a client. The pidfd is removed from epoll explicitly, because the connection has the same
 * open file.
 */
static void drop(const schedgpu_broker *b, struct broker_client *s) {
  epoll_ctl(b->epoll_fd, EPOLL_CTL_DEL, s->pidfd, NULL);
  munmap(s->page, SG_PAGE_SIZE);
  close(s->pidfd);
  if (s->renewed_fd >= 0)
    close(s->renewed_fd);
  free(s);
}

void sg_broker_client_add(schedgpu_broker *b, struct connection *c, struct broker_client *s) {
  s->connection = c;
  if (c)
    c->client = s;
  s->next = b->clients;
  b->clients = s;
  s->user->clients++;
  b->stats.clients++;
  s->page->client.state = SG_ACTIVE;
  s->page->slot = s->slot;
  atomic_store(&s->page->sync_wanted, b->announced);
  sg_note_record(b, s);
}

void sg_broker_client_forget(schedgpu_broker *b, struct broker_client *s) {
  for (struct broker_client **p = &b->clients; *p; p = &(*p)->next)
    if (*p == s) {
      *p = s->next;
      s->user->clients--;
      b->stats.clients--;
      break;
    }
  sg_unwatch(b, s);
  if (s->connection)
    s->connection->client = NULL;
  sg_user_free_if_unused(b, s->user);
  drop(b, s);
}

/** Lets the record name the client's own liveness file. */
static void name_file(struct sg_client *c, const struct stat *st) {
  SG_PUT(c->live_ino, 0);
  SG_PUT(c->live_dev, (uint64_t)st->st_dev);
  SG_PUT(c->live_ino, (uint64_t)st->st_ino);
}

/**
 * Activates the slot while its byte in the common liveness file is locked, so no other process
 * takes it. `key`: the job, or NULL for a process that is about to begin one.
 */
static int activate(schedgpu_broker *b, struct sg_handle *h, const struct sg_job_key *key,
                    struct broker_client *s, int *live_fd, struct sg_wire_attached *attached) {
  struct stat st;
  struct sg_joined joined;
  struct sg_wakes wakes;
  int rc = sg_live_file_make(b, h->slot, live_fd, &st);
  if (rc != SCHEDGPU_OK)
    return rc;
  rc = sg_admin_enter(b->admin);
  if (rc != SCHEDGPU_OK)
    return rc;
  wakes.count = 0;
  rc = sg_activate(h, key, &s->process, &joined, &wakes);
  if (rc == SCHEDGPU_OK)
    name_file(&b->r->client[h->slot], &st);
  if (rc == SCHEDGPU_OK && key)
    sg_describe_job(b, joined.job, attached);
  sg_leave(b, &wakes);
  return rc == SCHEDGPU_EUSER ? SCHEDGPU_ENOJOB : rc;
}

static int take_slot(schedgpu_broker *b, const struct sg_job_key *key, struct broker_client *s,
                     int *live_fd, struct sg_wire_attached *attached) {
  struct sg_handle h = b->admin->h;
  h.slot = SG_NONE;
  h.live = NULL;
  h.attached = false;
  int rc = sg_slot_take(&h, SG_FIRST_CLIENT, SG_SLOTS);
  if (rc != SCHEDGPU_OK)
    return rc;
  s->slot = attached->slot = h.slot;
  s->gen = attached->gen = h.gen;
  rc = activate(b, &h, key, s, live_fd, attached);
  sg_slot_drop(&h);
  return rc;
}

void sg_close_both(int fds[2]) {
  for (int i = 0; i < 2; i++) {
    if (fds[i] >= 0)
      close(fds[i]);
    fds[i] = -1;
  }
}

/**
 * True if the connection has a client. A client that could not be detached earlier, because its
 * record or the lock was not available, is detached now.
 */
static bool is_attached(schedgpu_broker *b, struct connection *c) {
  if (c->client)
    sg_broker_client_disconnected(b, c->client);
  return c->client != NULL;
}

static int attach(schedgpu_broker *b, struct connection *c, const struct sg_job_key *key,
                  struct sg_wire_attached *attached, int fds[2]) {
  if (is_attached(b, c))
    return SCHEDGPU_EINVAL;
  uint32_t all = b->stats.clients,
           left = all < SCHEDGPU_MAX_CLIENTS ? SCHEDGPU_MAX_CLIENTS - all : 0;
  if (c->uid != 0 && !sg_fair(c->user->clients, b->limits.clients_per_user, left))
    return SCHEDGPU_EFULL;
  struct broker_client *s = new_client(b, c, &fds[1]);
  if (!s)
    return SCHEDGPU_ESYSTEM;
  int rc = take_slot(b, key, s, &fds[0], attached);
  if (rc == SCHEDGPU_OK) {
    sg_broker_client_add(b, c, s);
    return rc;
  }
  sg_close_both(fds);
  drop(b, s);
  return rc;
}

int sg_serve_attach(schedgpu_broker *b, struct connection *c, const struct sg_wire_attach *question,
                    struct sg_wire_attached *attached, int fds[2]) {
  struct sg_job_key key;
  int rc = check_job(b, c, question, &key);
  return rc == SCHEDGPU_OK ? attach(b, c, &key, attached, fds) : rc;
}

int sg_serve_owner(schedgpu_broker *b, struct connection *c, int fds[2]) {
  struct sg_wire_attached unused;
  return attach(b, c, NULL, &unused, fds);
}

static struct broker_client *find_client(const schedgpu_broker *b, uint32_t slot, uint32_t gen) {
  for (struct broker_client *s = b->clients; s; s = s->next)
    if (s->slot == slot && s->gen == gen)
      return s;
  return NULL;
}

/** True if an agent created this record for the process that connected. */
static bool its_own(const schedgpu_broker *b, const struct connection *conn, uint32_t slot,
                    uint32_t gen) {
  if (slot < SG_FIRST_CLIENT || slot >= SG_SLOTS)
    return false;
  const struct sg_client *c = &b->r->client[slot];
  return c->state == SG_ACTIVE && c->agen == gen && atomic_load(&c->gen) == gen &&
         c->uid == conn->uid && c->pid == conn->pid && !sg_slot_dead(&b->admin->h, slot);
}

/**
 * Watches the wait that the client still counts on, and ends any other. True if the client's wait
 * is lost.
 */
static bool resume_wait(schedgpu_broker *b, struct broker_client *s, const struct sg_wire_resume *q,
                        struct sg_wakes *wakes) {
  const struct sg_waiter *w = &b->r->waiter[s->slot];
  uint32_t state = atomic_load(&w->state);
  bool known = state != SG_WAITER_FREE && w->ticket == q->wait.ticket;
  if (known)
    sg_watch(b, s, w->ticket);
  else if (state != SG_WAITER_FREE)
    sg_settle(b->r, s->slot, w->ticket, sg_now_ns(), wakes);
  atomic_store(&s->page->wait_state, known && state == SG_WAITING ? SG_WAIT_GOES_ON : SG_WAIT_OVER);
  sg_turn_resume(b, s, q->turn);
  return q->wait.ticket != 0 && !known;
}

/** Fills the page with what the client used before, limited to what the region gives it. */
static void fill_page(schedgpu_broker *b, struct broker_client *s, const struct sg_wire_resume *q) {
  const struct sg_client *c = &b->r->client[s->slot];
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++) {
    uint64_t leased = sg_leased(atomic_load(&c->lease[d]));
    uint64_t in_use = q->in_use[d] < leased ? q->in_use[d] : leased;
    atomic_store(&s->page->client.lease[d], leased << 32 | in_use);
    s->page->client.contexts[d] = q->contexts & 1u << d ? c->contexts[d] : 0;
  }
}

static int take_up(schedgpu_broker *b, struct connection *c, struct broker_client *s,
                   const struct sg_wire_resume *q, struct sg_wire_attached *attached) {
  struct sg_wakes wakes;
  wakes.count = 0;
  int rc = sg_admin_enter(b->admin);
  if (rc != SCHEDGPU_OK)
    return rc;
  uint32_t job = SG_NONE;
  if (its_own(b, c, q->slot,
              q->gen)) /* again under the lock, so that no process removes it meanwhile */
    job = sg_client_job(b->r, &b->r->client[q->slot]);
  if (job != SG_NONE) {
    fill_page(b, s, q);
    attached->lost = resume_wait(b, s, q, &wakes);
    sg_sync_from_page(b, s, &wakes);
    sg_sync_to_page(b, s);
    sg_serve(b->r, sg_now_ns(), &wakes);
    sg_describe_job(b, job, attached);
  }
  sg_leave(b, &wakes);
  return job != SG_NONE ? SCHEDGPU_OK : SCHEDGPU_ENOJOB;
}

/**
 * Switches the record to the new liveness file when the client has mapped it, not when it was sent.
 * If the client cannot map it or never reads the answer, it would count as dead. Until then its
 * process decides, as for every client whose liveness file was deleted.
 */
void sg_broker_client_renew_file(schedgpu_broker *b, struct broker_client *s) {
  struct stat st;
  bool known = fstat(s->renewed_fd, &st) == 0;
  close(s->renewed_fd); /* from here on only the client holds the lock */
  s->renewed_fd = -1;
  if (!known ||
      !sg_broker_client_lives(&b->admin->h, s->slot, (uint64_t)st.st_dev, (uint64_t)st.st_ino) ||
      sg_admin_enter(b->admin) != SCHEDGPU_OK)
    return;
  if (sg_broker_client_has_slot(b, s)) {
    name_file(&b->r->client[s->slot], &st);
    sg_note_record(b, s);
  }
  sg_unlock(&b->admin->h);
}

int sg_serve_resume(schedgpu_broker *b, struct connection *c, const struct sg_wire_resume *q,
                    struct sg_wire_attached *attached, int fds[2]) {
  if (is_attached(b, c))
    return SCHEDGPU_EINVAL;
  if (!its_own(b, c, q->slot, q->gen) || !process_lives(c))
    return SCHEDGPU_ENOJOB;
  struct stat st;
  int rc = sg_live_file_open(b, q->slot, &fds[0], &st);
  if (rc != SCHEDGPU_OK)
    return rc;
  struct broker_client *before = find_client(b, q->slot, q->gen);
  if (before)
    sg_broker_client_forget(b, before); /* its connection broke without the agent noticing */
  struct broker_client *s = new_client(b, c, &fds[1]);
  if (!s) {
    sg_close_both(fds);
    return SCHEDGPU_ESYSTEM;
  }
  s->slot = attached->slot = q->slot;
  s->gen = attached->gen = q->gen;
  sg_broker_client_add(b, c, s);
  if (s->last.live_dev != (uint64_t)st.st_dev || s->last.live_ino != (uint64_t)st.st_ino)
    s->renewed_fd = fcntl(fds[0], F_DUPFD_CLOEXEC, 0); /* keeps the file locked */
  rc = take_up(b, c, s, q, attached);
  if (rc == SCHEDGPU_OK)
    return rc;
  sg_broker_client_forget(b, s);
  sg_close_both(fds);
  return rc;
}

void sg_serve_detach(schedgpu_broker *b, struct broker_client *s) {
  struct sg_wakes wakes;
  wakes.count = 0;
  if (sg_admin_enter(b->admin) != SCHEDGPU_OK)
    return; /* the process is gone, so the next reap frees its record */
  if (sg_broker_client_has_slot(b, s)) {
    sg_sync_marks(b, s);
    sg_orphans_leave(b->r, s->slot, sg_now_ns(), &wakes);
    sg_client_remove(b->r, s->slot, sg_now_ns(), &wakes);
    sg_live_file_remove(b, s->slot);
  }
  sg_leave(b, &wakes);
  sg_broker_client_forget(b, s);
}

/**
 * Detaches the client if its lock is gone, because the process called exec. Otherwise it may only
 * have lost the connection.
 */
void sg_broker_client_disconnected(schedgpu_broker *b, struct broker_client *s) {
  if (sg_broker_client_lost_slot(b, s))
    sg_broker_client_forget(b, s);
  else if (sg_slot_dead(&b->admin->h, s->slot))
    sg_serve_detach(b, s);
}

/*
 * broker.c - the broker's life and its loop. One thread waits for events of connections, processes
 * and its own descriptors, and handles them; every 10 ms it also does what depends on time.
 */
#include "broker.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define EVENTS 256
/**
 * Time-out of the region's lock. If it takes longer, the client repeats its request and the loop
 * goes on.
 */
#define LOCK_NS INT64_C(50000000)
/** Interval while a request waits, because a prolog may change the region. */
#define WAITING_MS 10
#define IDLE_MS 1000
/** Interval while a process waits for a turn. */
#define TURN_MS 2

static uint32_t or_default(uint32_t given, uint32_t otherwise) {
  return given ? given : otherwise;
}

static void set_limits(schedgpu_broker *b, const struct schedgpu_broker_limits *given) {
  struct schedgpu_broker_limits none = {0}, l = given ? *given : none;
  l.connections = or_default(l.connections, 4096);
  l.connections_per_user = or_default(l.connections_per_user, 1024);
  l.clients_per_user = or_default(l.clients_per_user, 512);
  l.jobs_per_user = or_default(l.jobs_per_user, 64);
  l.messages_per_second = or_default(l.messages_per_second, 20000);
  l.jobs_per_second = or_default(l.jobs_per_second, 50);
  l.patience_ms = or_default(l.patience_ms, 10000);
  l.idle_ms = or_default(l.idle_ms, 60000);
  l.accepts_per_second = or_default(l.accepts_per_second, 5000);
  b->limits = l;
}

static int watch_own(schedgpu_broker *b, int fd, int *marker) {
  struct epoll_event event = {.events = EPOLLIN, .data.ptr = marker};
  return epoll_ctl(b->epoll_fd, EPOLL_CTL_ADD, fd, &event) == 0 ? SCHEDGPU_OK : SCHEDGPU_ESYSTEM;
}

static int start(schedgpu_broker *b) {
  b->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
  b->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (b->epoll_fd < 0 || b->stop_fd < 0)
    return SCHEDGPU_ESYSTEM;
  int rc = schedgpu_admin_open(b->run_dir, &b->admin);
  if (rc != SCHEDGPU_OK)
    return rc;
  if (!b->admin->h.writable)
    return SCHEDGPU_EPERM;
  schedgpu_admin_set_timeout(b->admin, LOCK_NS);
  b->r = b->admin->h.r;
  b->pid_namespace = sg_pid_namespace();
  rc = sg_listen(b);
  if (rc == SCHEDGPU_OK)
    sg_adopt_begin(b);
  b->repairs = atomic_load(&b->r->h.repairs);
  if (rc == SCHEDGPU_OK)
    rc = sg_listen_to_loop(b);
  return rc == SCHEDGPU_OK ? watch_own(b, b->stop_fd, &b->stop_fd) : rc;
}

int schedgpu_broker_supported(void) {
  int pidfd = sg_pidfd_open(getpid());
  if (pidfd < 0)
    return errno == ENOSYS || errno == EPERM ? SCHEDGPU_ESYSTEM : SCHEDGPU_OK;
  close(pidfd);
  return SCHEDGPU_OK;
}

int schedgpu_broker_open(const char *run_dir, const struct schedgpu_broker_limits *limits,
                         schedgpu_broker **broker) {
  *broker = NULL;
  schedgpu_broker *b = calloc(1, sizeof *b);
  if (!b)
    return SCHEDGPU_ESYSTEM;
  b->lock_fd = b->listen_fd = b->epoll_fd = b->stop_fd = b->spare_fd = -1;
  snprintf(b->run_dir, sizeof b->run_dir, "%s", run_dir);
  set_limits(b, limits);
  pthread_mutex_init(&b->terms_mutex, NULL);
  pthread_mutex_init(&b->subordinates_mutex, NULL);
  b->terms = (struct terms){
      .conf = {.max_mem = "100%", .max_priority = 90, .lanes = true, .max_share = SG_MAX_SHARE}};
  b->turns_wait = true; /* who waited at the end of the last agent */
  int rc = schedgpu_broker_supported();
  if (rc == SCHEDGPU_OK)
    rc = start(b);
  if (rc != SCHEDGPU_OK) {
    schedgpu_broker_close(b);
    return rc;
  }
  *broker = b;
  return SCHEDGPU_OK;
}

static void process_ended(schedgpu_broker *b, struct broker_client *s) {
  sg_serve_detach(b, s);
}

static void handle_connection(schedgpu_broker *b, struct connection *c, uint32_t events) {
  if (events & EPOLLOUT)
    sg_connection_write(b, c);
  if (events & EPOLLIN)
    sg_connection_read(b, c);
  else if (events & (EPOLLHUP | EPOLLERR))
    c->closing = true;
  if (c->closing)
    sg_connection_close(b, c);
}

/** Ended processes first: a client that detaches by a message frees the data of its own event. */
static bool handle(schedgpu_broker *b, const struct epoll_event *event, int n) {
  bool stopped = false, connecting = false;
  for (int i = 0; i < n; i++)
    if (event[i].data.u64 & 1)
      process_ended(b, (struct broker_client *)(uintptr_t)(event[i].data.u64 & ~UINT64_C(1)));
  for (int i = 0; i < n; i++) {
    if (event[i].data.u64 & 1)
      continue;
    if (event[i].data.ptr == &b->stop_fd)
      stopped = true;
    else if (event[i].data.ptr == &b->listen_fd)
      connecting = true;
    else if (event[i].data.ptr == &b->adoption)
      sg_adopt_tick(b, sg_now_ns());
    else
      handle_connection(b, event[i].data.ptr, event[i].events);
  }
  if (connecting) /* last, because a new connection may close another one */
    sg_accept(b);
  return stopped;
}

int schedgpu_broker_run(schedgpu_broker *b) {
  struct epoll_event event[EVENTS];
  uint64_t ticked_ns = 0, turns_ns = 0;
  for (;;) {
    bool busy = b->turns_wait || b->waits > 0 || b->throttled > 0 || b->announced || b->full_socket;
    int wait_ms = b->turns_wait ? TURN_MS : busy ? WAITING_MS : IDLE_MS;
    int n = epoll_wait(b->epoll_fd, event, EVENTS, wait_ms);
    if (n < 0 && errno != EINTR)
      return SCHEDGPU_ESYSTEM;
    if (handle(b, event, n))
      return SCHEDGPU_OK;
    uint64_t now_ns = sg_now_ns();
    if (now_ns - turns_ns >= TURN_MS * UINT64_C(1000000)) {
      turns_ns = now_ns;
      sg_turns_tick(b);
    }
    if (now_ns - ticked_ns < WAITING_MS * UINT64_C(1000000))
      continue;
    ticked_ns = now_ns;
    sg_adopt_tick(b, now_ns);
    sg_connections_tick(b, now_ns);
    sg_accept_tick(b);
    sg_tick(b, now_ns);
    if (b->gone)
      return SCHEDGPU_ENOREGION;
  }
}

void schedgpu_broker_stop(schedgpu_broker *b) {
  uint64_t one = 1;
  if (write(b->stop_fd, &one, sizeof one) != sizeof one)
    return; /* the counter is full, so the loop stops anyway */
}

void schedgpu_broker_stats(const schedgpu_broker *b, struct schedgpu_broker_stats *stats) {
  *stats = b->stats; /* not one snapshot; each number by itself is exact */
}

static void close_one(int fd) {
  if (fd >= 0)
    close(fd);
}

/**
 * Leaves the region as it is. The socket file stays too, so that processes that connect meanwhile
 * wait.
 */
void schedgpu_broker_close(schedgpu_broker *b) {
  if (!b)
    return;
  sg_adopt_end(b);
  while (b->connections) {
    if (b->connections->client) {
      b->connections->client->connection = NULL;
      b->connections->client = NULL;
    }
    sg_connection_close(b, b->connections);
  }
  while (b->clients)
    sg_broker_client_forget(b, b->clients);
  for (struct user *u = b->users, *next; u; u = next) {
    next = u->next;
    free(u);
  }
  schedgpu_admin_close(b->admin);
  close_one(b->listen_fd);
  close_one(b->epoll_fd);
  close_one(b->stop_fd);
  close_one(b->spare_fd);
  close_one(b->lock_fd);
  free(b->subordinates.first);
  free(b);
}

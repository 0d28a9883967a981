/*
 * listen.c - the agent's socket: it is created, restored after its file was removed, and accepts
 * connections within the limits per user and per second.
 */
#include "broker.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77 /* Linux 6.5 */
#endif
#define BACKLOG 512
#define ACCEPTS_AT_ONCE 32
/** Cost of one connection, in messages of the user's allowance. */
#define CONNECT_MESSAGES 4
#define NS_PER_S UINT64_C(1000000000)

/** Ensures that one agent serves the region. The kernel drops the lock with the process. */
static int lock_out_others(schedgpu_broker *b) {
  char path[PATH_MAX];
  struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  if (sg_path(path, b->run_dir, SG_BROKER_LOCK) != SCHEDGPU_OK)
    return SCHEDGPU_EINVAL;
  b->lock_fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (b->lock_fd < 0)
    return sg_error_of_errno();
  if (fcntl(b->lock_fd, F_OFD_SETLK, &whole) == 0)
    return SCHEDGPU_OK;
  return errno == EAGAIN || errno == EACCES ? SCHEDGPU_EINUSE : SCHEDGPU_ESYSTEM;
}

/**
 * Lets everybody connect. By a handle, because chmod(2) follows a link that may have replaced the
 * name.
 */
static bool open_to_all(const char *socket_path) {
  char same[64];
  struct stat st;
  int fd = open(socket_path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
  snprintf(same, sizeof same, "/proc/self/fd/%d", fd);
  bool opened = fd >= 0 && fstat(fd, &st) == 0 && S_ISSOCK(st.st_mode) && chmod(same, 0666) == 0;
  if (fd >= 0)
    close(fd);
  return opened;
}

/** Binds to a temporary name and renames it, so the name always leads to a socket that listens. */
static int bind_and_move(schedgpu_broker *b) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  char path[PATH_MAX];
  int n = snprintf(address.sun_path, sizeof address.sun_path, "%s/." SG_AGENT_SOCKET, b->run_dir);
  if (n <= 0 || (size_t)n >= sizeof address.sun_path ||
      sg_path(path, b->run_dir, SG_AGENT_SOCKET) != SCHEDGPU_OK)
    return SCHEDGPU_EINVAL;
  unlink(address.sun_path);
  if (bind(b->listen_fd, (struct sockaddr *)&address, sizeof address) != 0)
    return sg_error_of_errno();
  if (!open_to_all(address.sun_path) || listen(b->listen_fd, BACKLOG) != 0 ||
      lstat(address.sun_path, &b->listen_file) != 0 || rename(address.sun_path, path) != 0) {
    unlink(address.sun_path);
    return SCHEDGPU_ESYSTEM;
  }
  return SCHEDGPU_OK;
}

static int listen_at_path(schedgpu_broker *b) {
  b->listen_fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  return b->listen_fd < 0 ? SCHEDGPU_ESYSTEM : bind_and_move(b);
}

int sg_listen(schedgpu_broker *b) {
  int rc = lock_out_others(b);
  if (rc != SCHEDGPU_OK)
    return rc;
  b->spare_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
  return listen_at_path(b);
}

int sg_listen_to_loop(schedgpu_broker *b) {
  struct epoll_event event = {.events = EPOLLIN, .data.ptr = &b->listen_fd};
  int rc = epoll_ctl(b->epoll_fd, EPOLL_CTL_ADD, b->listen_fd, &event);
  return rc == 0 ? SCHEDGPU_OK : SCHEDGPU_ESYSTEM;
}

static bool is_listen_file_there(const schedgpu_broker *b) {
  char path[PATH_MAX];
  struct stat now;
  return sg_path(path, b->run_dir, SG_AGENT_SOCKET) == SCHEDGPU_OK && lstat(path, &now) == 0 &&
         now.st_dev == b->listen_file.st_dev && now.st_ino == b->listen_file.st_ino;
}

void sg_listen_again_if_removed(schedgpu_broker *b) {
  int old_fd = b->listen_fd;
  if (is_listen_file_there(b))
    return;
  if (listen_at_path(b) == SCHEDGPU_OK && sg_listen_to_loop(b) == SCHEDGPU_OK) {
    epoll_ctl(b->epoll_fd, EPOLL_CTL_DEL, old_fd, NULL); /* see sg_connection_close() */
    close(old_fd);                                       /* processes in its queue connect again */
    return;
  }
  if (b->listen_fd >= 0)
    close(b->listen_fd);
  b->listen_fd = old_fd; /* the folder is gone as well: tried again in a second */
}

/** Opens the process that connected, even if its pid was reused. */
static int pidfd_of(int fd, pid_t pid) {
  int pidfd = -1;
  socklen_t size = sizeof pidfd;
  if (getsockopt(fd, SOL_SOCKET, SO_PEERPIDFD, &pidfd, &size) == 0)
    return pidfd;
  return sg_pidfd_open(pid);
}

/**
 * True if the user may have one more connection. No user takes the last one (sg_fair). Beyond that,
 * or when no connection is left, connections without a client are closed for a user with fewer
 * connections, so a new user can always connect.
 */
static bool has_room(schedgpu_broker *b, const struct user *u) {
  uint32_t all = b->stats.connections, limit = b->limits.connections;
  uint32_t left = all < limit ? limit - all : 0;
  if (u->uid == 0)
    return left > 0 || sg_connection_give_way(b, u);
  if (sg_fair(u->connections, b->limits.connections_per_user, left))
    return true;
  return u->connections < b->limits.connections_per_user && sg_connection_give_way(b, u);
}

static struct connection *new_connection(schedgpu_broker *b, int fd) {
  struct ucred peer;
  socklen_t size = sizeof peer;
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 || peer.pid <= 0)
    return NULL; /* the process is in a PID namespace that the agent cannot see */
  struct user *u = sg_user_of(b, peer.uid);
  if (!u)
    return NULL;
  sg_user_charge(u, CONNECT_MESSAGES);
  int pidfd = has_room(b, u) ? pidfd_of(fd, peer.pid) : -1;
  struct connection *c = pidfd >= 0 ? calloc(1, sizeof *c) : NULL;
  if (!c) {
    if (pidfd >= 0)
      close(pidfd);
    sg_user_free_if_unused(b, u);
    return NULL;
  }
  *c = (struct connection){.fd = fd,
                           .pidfd = pidfd,
                           .uid = peer.uid,
                           .pid = peer.pid,
                           .user = u,
                           .since_ns = sg_now_ns()};
  c->heard_ns = c->since_ns;
  return c;
}

static void accept_client(schedgpu_broker *b, int fd) {
  struct connection *c = new_connection(b, fd);
  struct epoll_event event = {.events = EPOLLIN, .data.ptr = c};
  if (!c || epoll_ctl(b->epoll_fd, EPOLL_CTL_ADD, fd, &event) != 0) {
    if (c)
      close(c->pidfd);
    free(c);
    close(fd);
    b->stats.refused_connections++;
    return;
  }
  c->next = b->connections;
  b->connections = c;
  c->user->connections++;
  b->stats.connections++;
  b->stats.accepted++;
}

/**
 * Refuses a connection although the process has no descriptor left. Otherwise the loop would spin
 * on the pending connection.
 */
static bool refuse_without_descriptors(schedgpu_broker *b) {
  if (errno != EMFILE && errno != ENFILE)
    return false;
  close(b->spare_fd);
  int fd = accept4(b->listen_fd, NULL, NULL, SOCK_CLOEXEC);
  if (fd >= 0)
    close(fd);
  b->spare_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
  b->stats.refused_connections++;
  return fd >= 0;
}

static void listen_for_more(schedgpu_broker *b, bool more) {
  struct epoll_event event = {.events = more ? EPOLLIN : 0, .data.ptr = &b->listen_fd};
  epoll_ctl(b->epoll_fd, EPOLL_CTL_MOD, b->listen_fd, &event);
  b->full_socket = !more;
}

/**
 * Limits connections per second, and to a tenth of that at once. Otherwise a process that connects
 * without a pause would keep the loop from all others.
 */
static bool may_accept(schedgpu_broker *b) {
  uint64_t now_ns = sg_now_ns(), passed_ns = now_ns - b->accepts_filled_ns;
  int64_t a_second = b->limits.accepts_per_second, most = a_second / 10 + 1;
  int64_t fresh =
      passed_ns > NS_PER_S ? a_second : (int64_t)(passed_ns * (uint64_t)a_second / NS_PER_S);
  if (fresh > 0) {
    b->accepts = b->accepts + fresh < most ? b->accepts + fresh : most;
    b->accepts_filled_ns = now_ns;
  }
  return b->accepts > 0;
}

void sg_accept(schedgpu_broker *b) {
  for (int i = 0; i < ACCEPTS_AT_ONCE; i++) {
    if (!may_accept(b)) {
      listen_for_more(b, false);
      return;
    }
    int fd = accept4(b->listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd >= 0 || errno == ECONNABORTED)
      b->accepts--;
    if (fd >= 0)
      accept_client(b, fd);
    else if (!refuse_without_descriptors(b))
      return;
  }
}

void sg_accept_tick(schedgpu_broker *b) {
  if (b->full_socket && may_accept(b))
    listen_for_more(b, true);
}

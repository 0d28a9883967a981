/*
 * link.c - the connection to the agent, and one message over it.
 */
#include "link.h"
#include "../client/self.h"
#include "../region/run_dir.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/** Above the low numbers on which some programs count. */
#define LOWEST_FD 200
#define MS UINT64_C(1000000)

static int address_of(const char *run_dir, struct sockaddr_un *address) {
  *address = (struct sockaddr_un){.sun_family = AF_UNIX};
  int n = snprintf(address->sun_path, sizeof address->sun_path, "%s/" SG_AGENT_SOCKET, run_dir);
  return n > 0 && (size_t)n < sizeof address->sun_path ? SCHEDGPU_OK : SCHEDGPU_EINVAL;
}

bool sg_link_exists(const char *run_dir) {
  struct sockaddr_un address;
  struct stat st;
  return address_of(run_dir, &address) == SCHEDGPU_OK && lstat(address.sun_path, &st) == 0 &&
         S_ISSOCK(st.st_mode) && sg_trusted_owner(st.st_uid);
}

/** True if users may not even open the liveness file, as where only root may write the region. */
bool sg_link_expected(const char *run_dir) {
  char path[PATH_MAX];
  struct stat st;
  return sg_path(path, run_dir, SG_LIVE_FILE) == SCHEDGPU_OK && lstat(path, &st) == 0 &&
         S_ISREG(st.st_mode) && (st.st_mode & 077) == 0 && sg_trusted_owner(st.st_uid);
}

/** True if the descriptor is still ours. The program may have closed it and reused its number. */
static bool still_ours(const struct sg_link *link) {
  struct stat st;
  return link->connected && fstat(link->fd, &st) == 0 && st.st_dev == link->dev &&
         st.st_ino == link->ino;
}

void sg_link_close(struct sg_link *link) {
  if (still_ours(link))
    close(link->fd);
  link->connected = false;
}

void sg_link_close_both(const int fds[2]) {
  for (int i = 0; i < 2; i++)
    if (fds[i] >= 0)
      close(fds[i]);
}

/** True if the peer is trusted: it runs as root or as this user. */
static bool trusted_peer(int fd) {
  struct ucred peer;
  socklen_t size = sizeof peer;
  return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && sg_trusted_owner(peer.uid);
}

static int connect_to(const char *run_dir, int *connected) {
  struct sockaddr_un address;
  if (address_of(run_dir, &address) != SCHEDGPU_OK)
    return SCHEDGPU_EINVAL;
  int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0)
    return SCHEDGPU_ESYSTEM;
  if (connect(fd, (struct sockaddr *)&address, sizeof address) != 0) {
    close(fd); /* EAGAIN: too many processes connect now */
    return SCHEDGPU_ELOCK;
  }
  if (!trusted_peer(fd)) {
    close(fd);
    return SCHEDGPU_EOWNER;
  }
  int high = fcntl(fd, F_DUPFD_CLOEXEC, LOWEST_FD);
  if (high >= 0)
    close(fd);
  *connected = high >= 0 ? high : fd;
  return SCHEDGPU_OK;
}

static int open_link(struct sg_link *link, const char *run_dir) {
  struct stat st;
  int rc = connect_to(run_dir, &link->fd);
  if (rc != SCHEDGPU_OK)
    return rc;
  if (fstat(link->fd, &st) != 0)
    return SCHEDGPU_ESYSTEM;
  link->dev = st.st_dev;
  link->ino = st.st_ino;
  link->connected = true;
  return SCHEDGPU_OK;
}

static bool await_answer(const struct sg_link *link) {
  for (;;) {
    uint64_t now_ns = sg_now_ns();
    if (now_ns >= link->deadline_ns)
      return false;
    uint64_t left_ms = (link->deadline_ns - now_ns) / MS + 1;
    struct pollfd p = {.fd = link->fd, .events = POLLIN};
    int n = poll(&p, 1, left_ms < 1000 ? (int)left_ms : 1000);
    if (n > 0)
      return true;
    if (n < 0 && errno != EINTR)
      return false;
  }
}

static void take_descriptors(struct msghdr *m, int fds[2]) {
  for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c)) {
    if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
      continue;
    size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < count && i < 2; i++)
      memcpy(&fds[i], CMSG_DATA(c) + i * sizeof(int), sizeof(int));
  }
}

static bool receive(const struct sg_link *link, struct sg_wire_answer *a, int fds[2]) {
  _Alignas(struct cmsghdr) char control[CMSG_SPACE(2 * sizeof(int))];
  struct iovec part = {a, sizeof *a};
  struct msghdr m = {.msg_iov = &part,
                     .msg_iovlen = 1,
                     .msg_control = fds ? control : NULL,
                     .msg_controllen = fds ? sizeof control : 0};
  ssize_t n = recvmsg(link->fd, &m, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
  if (n > 0 && fds)
    take_descriptors(&m, fds);
  return n >= (ssize_t)(sizeof a->head + 8) && a->head.size == (uint32_t)n &&
         a->head.magic == SG_WIRE_MAGIC;
}

static int exchange(struct sg_link *link, struct sg_wire_question *q, struct sg_wire_answer *a,
                    int fds[2]) {
  q->head.magic = SG_WIRE_MAGIC;
  q->head.version = q->head.type == SG_WIRE_HELLO ? 0 : (uint16_t)link->version;
  q->head.size = (uint32_t)sizeof q->head + sg_wire_body(q->head.type);
  q->head.sequence = ++link->sequence;
  memset(a, 0, sizeof *a); /* fields that a short answer lacks are 0 */
  if (send(link->fd, q, q->head.size, MSG_NOSIGNAL | MSG_DONTWAIT) != (ssize_t)q->head.size)
    return SCHEDGPU_ELOCK;
  if (!await_answer(link) || !receive(link, a, fds) || a->head.sequence != q->head.sequence)
    return SCHEDGPU_ELOCK;
  return a->rc;
}

/** After any error the connection is closed, as a late answer may still come. */
int sg_link_exchange(struct sg_self *self, struct sg_wire_question *q, struct sg_wire_answer *a,
                     int fds[2]) {
  struct sg_link *link = &self->link;
  if (fds)
    fds[0] = fds[1] = -1;
  if (!still_ours(link)) {
    link->connected = false;
    return SCHEDGPU_ELOCK;
  }
  int rc = exchange(link, q, a, fds);
  if (rc == SCHEDGPU_ELOCK && a->head.sequence != q->head.sequence)
    sg_link_close(link);
  return rc;
}

static int hello(struct sg_self *self) {
  struct sg_wire_question q = {.head.type = SG_WIRE_HELLO,
                               .hello = {SG_WIRE_VERSION, SG_WIRE_VERSION}};
  struct sg_wire_answer a;
  int rc = sg_link_exchange(self, &q, &a, NULL);
  self->link.version = a.version;
  return rc == SCHEDGPU_OK && a.version != SG_WIRE_VERSION ? SCHEDGPU_EVERSION : rc;
}

/**
 * True if the connection is broken. It may have broken unnoticed; a new agent does not know this
 * process.
 */
bool sg_link_broken(const struct sg_link *link) {
  char byte;
  if (!still_ours(link))
    return true;
  ssize_t n = recv(link->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return !(n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR));
}

int sg_link_connect(struct sg_self *self) {
  int rc = open_link(&self->link, self->h.run_dir);
  return rc == SCHEDGPU_OK ? hello(self) : rc;
}

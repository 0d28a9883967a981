/* send.c - sends an answer, or keeps it until the client reads. */
#include "broker.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

void sg_connection_poll(schedgpu_broker *b, struct connection *c, uint32_t events) {
  struct epoll_event event = {.events = events, .data.ptr = c};
  epoll_ctl(b->epoll_fd, EPOLL_CTL_MOD, c->fd, &event);
}

static ssize_t send_with(const struct connection *c, const struct sg_wire_answer *a,
                         const int fds[2]) {
  _Alignas(struct cmsghdr) char control[CMSG_SPACE(2 * sizeof(int))] = {0};
  struct iovec part = {(void *)(uintptr_t)a, a->head.size};
  struct msghdr m = {.msg_iov = &part, .msg_iovlen = 1};
  if (fds) {
    m.msg_control = control;
    m.msg_controllen = sizeof control;
    struct cmsghdr *head = CMSG_FIRSTHDR(&m);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(2 * sizeof(int));
    memcpy(CMSG_DATA(head), fds, 2 * sizeof(int));
  }
  return sendmsg(c->fd, &m, MSG_DONTWAIT | MSG_NOSIGNAL);
}

bool sg_answer(schedgpu_broker *b, struct connection *c, const struct sg_wire_head *question,
               struct sg_wire_answer *a, size_t body, const int fds[2]) {
  a->head = *question;
  a->head.size = (uint32_t)(offsetof(struct sg_wire_answer, version) + body);
  if (send_with(c, a, fds) == (ssize_t)a->head.size)
    return true;
  if (fds || (errno != EAGAIN && errno != ENOBUFS))
    return false; /* an answer with descriptors is the first one: a full buffer means that the
                     client never reads */
  c->unsent = malloc(sizeof *a);
  if (!c->unsent)
    return false;
  *c->unsent = *a;
  c->since_ns = sg_now_ns();
  sg_connection_poll(b, c, EPOLLOUT);
  return true;
}

void sg_connection_write(schedgpu_broker *b, struct connection *c) {
  if (!c->unsent)
    return;
  if (send_with(c, c->unsent, NULL) == (ssize_t)c->unsent->head.size) {
    free(c->unsent);
    c->unsent = NULL;
    sg_connection_poll(b, c, EPOLLIN);
  } else if (errno != EAGAIN && errno != ENOBUFS) {
    c->closing = true;
  }
}

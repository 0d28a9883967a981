/*
 * connection.c - reads one message, has it answered, and only then reads the next one. A client
 * that does not read its answers is not read either. Descriptors that a client sends are never
 * received.
 */
#include "broker.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

/** Messages of one connection before the others are read. */
#define MESSAGES_AT_ONCE 8
#define MS UINT64_C(1000000)

enum got { GOT_NOTHING, GOT_MESSAGE, GOT_END };

static enum got receive(struct connection *c, struct sg_wire_question *q, size_t *size) {
  struct iovec part = {q, sizeof *q};
  struct msghdr m = {.msg_iov = &part, .msg_iovlen = 1};
  ssize_t n = recvmsg(c->fd, &m, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  if (n < 0 && (errno == EAGAIN || errno == EINTR))
    return GOT_NOTHING;
  if (n <= 0)
    return GOT_END;
  *size = m.msg_flags & (MSG_TRUNC | MSG_CTRUNC) ? 0 : (size_t)n;
  return GOT_MESSAGE;
}

static bool read_one(schedgpu_broker *b, struct connection *c) {
  struct sg_wire_question q;
  size_t size;
  if (!sg_user_may_send(b, c->user)) {
    c->throttled = true;
    b->throttled++;
    b->stats.throttled++;
    sg_connection_poll(b, c, 0);
    return false;
  }
  memset(&q, 0, sizeof q);
  enum got got = receive(c, &q, &size);
  if (got == GOT_NOTHING)
    return false;
  c->heard_ns = sg_now_ns();
  if (got == GOT_MESSAGE) {
    b->stats.messages++;
    if (size > 0 && sg_message(b, c, &q, size))
      return true;
    b->stats.refused_messages++;
  }
  c->closing = true;
  return false;
}

void sg_connection_read(schedgpu_broker *b, struct connection *c) {
  for (int i = 0; i < MESSAGES_AT_ONCE && !c->unsent && !c->throttled; i++)
    if (!read_one(b, c))
      return;
}

void sg_connection_close(schedgpu_broker *b, struct connection *c) {
  for (struct connection **p = &b->connections; *p; p = &(*p)->next)
    if (*p == c) {
      *p = c->next;
      break;
    }
  if (c->throttled)
    b->throttled--;
  /* Closing does not end the watch while a forked child of the agent still has the descriptor. */
  epoll_ctl(b->epoll_fd, EPOLL_CTL_DEL, c->fd, NULL);
  close(c->fd);
  close(c->pidfd);
  b->stats.connections--;
  if (c->client) {
    c->client->connection = NULL;
    sg_broker_client_disconnected(b, c->client);
  }
  c->user->connections--;
  sg_user_free_if_unused(b, c->user);
  free(c->unsent);
  free(c);
}

/** An attached client may stay silent as long as it runs. */
static bool may_be_idle(const struct connection *c) {
  return !c->client && !c->throttled;
}

static bool too_idle(const schedgpu_broker *b, const struct connection *c, uint64_t now_ns) {
  return may_be_idle(c) && now_ns > c->heard_ns && now_ns - c->heard_ns > b->limits.idle_ms * MS;
}

/**
 * The connection without a client of this user that has been silent for the longest time, or NULL.
 */
static struct connection *idlest_of(const schedgpu_broker *b, const struct user *user) {
  struct connection *idlest = NULL;
  for (struct connection *c = b->connections; c; c = c->next)
    if (c->user == user && !c->client && (!idlest || c->heard_ns < idlest->heard_ns))
      idlest = c;
  return idlest;
}

bool sg_connection_give_way(schedgpu_broker *b, const struct user *user) {
  const struct user *most = NULL;
  for (const struct user *u = b->users; u; u = u->next)
    if (u->uid != 0 && (!most || u->connections > most->connections) && idlest_of(b, u))
      most = u;
  /* the new connection must not make `user` the one with the most */
  if (!most || most == user || most->connections < user->connections + (user->connections ? 2 : 1))
    return false;
  b->stats.gave_way++;
  sg_connection_close(b, idlest_of(b, most));
  return true;
}

static bool too_slow(const schedgpu_broker *b, const struct connection *c, uint64_t now_ns) {
  return (c->version == 0 || c->unsent) && now_ns - c->since_ns > b->limits.patience_ms * MS;
}

void sg_connections_tick(schedgpu_broker *b, uint64_t now_ns) {
  for (struct connection *c = b->connections, *next; c; c = next) {
    next = c->next;
    if (c->throttled) {
      c->throttled = false;
      c->heard_ns = now_ns; /* a throttled connection has unread messages */
      b->throttled--;
      sg_connection_poll(b, c, EPOLLIN);
    }
    if (too_slow(b, c, now_ns)) {
      b->stats.slow++;
      c->closing = true;
    } else if (too_idle(b, c, now_ns)) {
      b->stats.idle++;
      c->closing = true;
    }
    if (c->closing)
      sg_connection_close(b, c);
  }
}

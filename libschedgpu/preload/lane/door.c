/* door.c - see door.h. */
#include "door.h"
#include "pieces.h"
#include "../../shell/shell.h"
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

/** For one answer of a process, which may be stopped. */
#define PATIENCE_S 1

struct wish {
  uint32_t lane, first, end;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int door = -1;
static uint32_t number;
static uint32_t offered_lane;
static int offered[SGP_PIECES];
static unsigned offered_count;

/* --- both sides --- */

static bool is_own_user(int connection) {
  struct ucred peer;
  socklen_t size = sizeof peer;
  return getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
         sg_same_user(peer.uid);
}

static void set_patience(int connection, int seconds) {
  struct timeval time = {.tv_sec = seconds};
  setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time);
  setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof time);
}

union control {
  struct cmsghdr header;
  char bytes[CMSG_SPACE(sizeof(int))];
};

/* --- the side that has the pieces --- */

static bool send_piece(int connection, unsigned piece, int descriptor) {
  uint32_t word = piece;
  union control control = {.header = {CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS}};
  struct iovec text = {&word, sizeof word};
  struct msghdr message = {
      .msg_iov = &text, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
  memcpy(CMSG_DATA(&control.header), &descriptor, sizeof descriptor);
  return sendmsg(connection, &message, MSG_NOSIGNAL) == (ssize_t)sizeof word;
}

static void answer(int connection) {
  struct wish wish;
  set_patience(connection, 1);
  if (!is_own_user(connection) || recv(connection, &wish, sizeof wish, 0) != (ssize_t)sizeof wish)
    return;
  bool sent = true;
  for (unsigned piece = wish.first; sent && piece < wish.end; piece++) {
    pthread_mutex_lock(&lock);
    bool has = wish.lane == offered_lane && piece < offered_count;
    int copy = has ? dup(offered[piece]) : -1;
    pthread_mutex_unlock(&lock);
    sent = copy >= 0 && send_piece(connection, piece, copy);
    if (copy >= 0)
      close(copy);
  }
}

static void *serve(void *argument) {
  int listening = (int)(intptr_t)argument;
  for (;;) {
    int connection = accept4(listening, NULL, NULL, SOCK_CLOEXEC);
    if (connection < 0 && (errno == EBADF || errno == EINVAL))
      return NULL;
    if (connection < 0) {
      usleep(1000); /* no descriptor is left, for now */
      continue;
    }
    answer(connection);
    close(connection);
  }
}

/* Binding to no name gives a free one: a zero byte and five hexadecimal digits. */
static int listen_anywhere(uint32_t *chosen) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  socklen_t size = sizeof address.sun_family;
  int listening = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  if (listening < 0)
    return -1;
  bool bound = bind(listening, (struct sockaddr *)&address, size) == 0;
  size = sizeof address;
  if (bound && getsockname(listening, (struct sockaddr *)&address, &size) == 0 &&
      size >= offsetof(struct sockaddr_un, sun_path) + 6 && listen(listening, 64) == 0) {
    *chosen = (uint32_t)strtoul(address.sun_path + 1, NULL, 16) + 1;
    return listening;
  }
  close(listening);
  return -1;
}

uint32_t sgp_door_open(void) {
  pthread_mutex_lock(&lock);
  if (door < 0) {
    uint32_t chosen = 0;
    int listening = listen_anywhere(&chosen);
    if (listening >= 0 && sg_start_thread(serve, (void *)(intptr_t)listening) == 0) {
      door = listening;
      number = chosen;
    } else if (listening >= 0) {
      close(listening);
    }
  }
  uint32_t opened = door < 0 ? 0 : number;
  pthread_mutex_unlock(&lock);
  return opened;
}

void sgp_door_offer(uint32_t lane, const int *pieces, unsigned count) {
  pthread_mutex_lock(&lock);
  offered_lane = lane;
  offered_count = count;
  memcpy(offered, pieces, count * sizeof *pieces);
  pthread_mutex_unlock(&lock);
}

/* The thread is not in the child. */
void sgp_door_after_fork(void) {
  lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
  if (door >= 0)
    close(door);
  door = -1;
  offered_count = 0;
}

/* --- the side that asks --- */

static int go_to(uint32_t to) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  int connection = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  if (connection < 0)
    return -1;
  snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "%05x", to - 1);
  socklen_t size = offsetof(struct sockaddr_un, sun_path) + 6;
  set_patience(connection, PATIENCE_S);
  if (connect(connection, (struct sockaddr *)&address, size) == 0 && is_own_user(connection))
    return connection;
  close(connection);
  return -1;
}

/* The descriptor of a piece, -1 if the other side has no more. */
static int receive_piece(int connection, unsigned piece) {
  uint32_t word;
  union control control;
  struct iovec text = {&word, sizeof word};
  struct msghdr message = {
      .msg_iov = &text, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
  if (recvmsg(connection, &message, MSG_CMSG_CLOEXEC) <= 0 || message.msg_controllen == 0 ||
      control.header.cmsg_type != SCM_RIGHTS)
    return -1;
  int descriptor;
  memcpy(&descriptor, CMSG_DATA(&control.header), sizeof descriptor);
  if (word == piece)
    return descriptor;
  close(descriptor);
  return -1;
}

unsigned sgp_door_ask(uint32_t to, uint32_t lane, unsigned first, unsigned end, int *pieces) {
  struct wish wish = {lane, first, end};
  int connection = go_to(to);
  unsigned piece = first;
  if (connection < 0)
    return first;
  if (send(connection, &wish, sizeof wish, MSG_NOSIGNAL) == (ssize_t)sizeof wish)
    for (; piece < end; piece++) {
      pieces[piece] = receive_piece(connection, piece);
      if (pieces[piece] < 0)
        break;
    }
  close(connection);
  return piece;
}

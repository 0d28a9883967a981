/*
 * descriptors.h - file descriptors that go from program to program through the UNIX socket that
 * DESCRIPTOR_SOCKET names. Functions return 0, or NO_SOCKET.
 */
#ifndef PRELOAD_TEST_DESCRIPTORS_H
#define PRELOAD_TEST_DESCRIPTORS_H

#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { NO_SOCKET = -6 };
static int descriptor_socket = -1;

static inline struct sockaddr_un descriptor_address(void) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  const char *path = getenv("DESCRIPTOR_SOCKET");
  snprintf(address.sun_path, sizeof address.sun_path, "%s", path ? path : "");
  return address;
}

/* Before the other program sends. */
static inline int listen_for_descriptors(void) {
  struct sockaddr_un address = descriptor_address();
  descriptor_socket = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  return bind(descriptor_socket, (struct sockaddr *)&address, sizeof address) ? NO_SOCKET : 0;
}

union descriptor_control {
  struct cmsghdr header;
  char bytes[CMSG_SPACE(sizeof(int))];
};

static inline int send_descriptor(int descriptor) {
  struct sockaddr_un address = descriptor_address();
  union descriptor_control control = {.header = {CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS}};
  struct iovec text = {"", 1};
  struct msghdr message = {.msg_name = &address,
                           .msg_namelen = sizeof address,
                           .msg_iov = &text,
                           .msg_iovlen = 1,
                           .msg_control = &control,
                           .msg_controllen = sizeof control};
  memcpy(CMSG_DATA(&control.header), &descriptor, sizeof descriptor);
  int from = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  int result = sendmsg(from, &message, 0) == 1 ? 0 : NO_SOCKET;
  close(from);
  return result;
}

static inline int receive_descriptor(int *descriptor) {
  union descriptor_control control;
  char byte;
  struct iovec text = {&byte, 1};
  struct msghdr message = {
      .msg_iov = &text, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
  if (recvmsg(descriptor_socket, &message, MSG_CMSG_CLOEXEC) != 1 || !message.msg_controllen)
    return NO_SOCKET;
  memcpy(descriptor, CMSG_DATA(&control.header), sizeof *descriptor);
  return 0;
}

#endif

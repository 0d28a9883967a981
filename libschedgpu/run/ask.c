/* ask.c - see ask.h. The agent's side is LearnedQuestion.java. */
#include "ask.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#define TIMEOUT_S 2

static int call(const char *run_dir, int timeout_s) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  const struct timeval timeout = {.tv_sec = timeout_s};
  int length = snprintf(address.sun_path, sizeof address.sun_path, "%s/" SGR_QUERY_SOCKET, run_dir);
  if (length < 0 || (size_t)length >= sizeof address.sun_path)
    return -1;
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd >= 0 && (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout) != 0 ||
                  setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout) != 0 ||
                  connect(fd, (const struct sockaddr *)&address, sizeof address) != 0)) {
    close(fd);
    return -1;
  }
  return fd;
}

/** Writes `name` as the content of a JSON string. Names have no control characters. */
static void quote(const char *name, char *text, size_t size) {
  size_t used = 0;
  for (; *name && used + 2 < size; name++) {
    if (*name == '"' || *name == '\\')
      text[used++] = '\\';
    text[used++] = *name;
  }
  text[used] = '\0';
}

static bool send_all(int fd, const char *text) {
  for (size_t length = strlen(text); length > 0;) {
    ssize_t sent = send(fd, text, length, MSG_NOSIGNAL);
    if (sent <= 0)
      return false;
    text += sent;
    length -= (size_t)sent;
  }
  return true;
}

/** Reads up to the end of the connection. Returns 0 if that does not come, or too late. */
static size_t receive(int fd, char *answer, size_t size) {
  size_t used = 0;
  ssize_t got;
  while (used < size && (got = recv(fd, answer + used, size - used, 0)) != 0) {
    if (got < 0)
      return 0;
    used += (size_t)got;
  }
  return used < size ? used : 0;
}

size_t sgr_ask(const char *run_dir, const char *request, int timeout_s, char *answer, size_t size) {
  int fd = call(run_dir, timeout_s);
  if (fd < 0)
    return 0;
  size_t length = send_all(fd, request) ? receive(fd, answer, size) : 0;
  close(fd);
  return length;
}

bool sgr_ask_learned(const char *run_dir, const char *name, const char *key, uint64_t *bytes) {
  char quoted[256], request[384], answer[1024] = "";
  quote(name, quoted, sizeof quoted);
  snprintf(request, sizeof request, "{\"version\":1,\"ask\":\"learned\",\"name\":\"%s\"}\n",
           quoted);
  size_t length = sgr_ask(run_dir, request, TIMEOUT_S, answer, sizeof answer - 1);
  answer[length] = '\0';
  const char *number = strstr(answer, key);
  *bytes = number ? strtoull(number + strlen(key), NULL, 10) : 0;
  return length > 0;
}

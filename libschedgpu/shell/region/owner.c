/* owner.c - decides which owners of regions are trusted: root and the user. */
#include "../shell.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool read_line(const char *path, char *text, size_t size) {
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return false;
  ssize_t n = read(fd, text, size - 1);
  close(fd);
  text[n > 0 ? n : 0] = 0;
  return n > 0;
}

/**
 * True if this user namespace maps every user. In a container that does not, root may look like
 * nobody.
 */
static bool maps_every_user(void) {
  char text[256];
  unsigned inside, outside, count;
  return read_line("/proc/self/uid_map", text, sizeof text) &&
         sscanf(text, "%u %u %u", &inside, &outside, &count) == 3 && inside == 0 && outside == 0 &&
         count == UINT32_MAX;
}

static uid_t nobody(void) {
  char text[32];
  return read_line("/proc/sys/kernel/overflowuid", text, sizeof text)
             ? (uid_t)strtoul(text, NULL, 10)
             : 65534;
}

static bool has_no_user_map(void) {
  char one;
  int fd = open("/proc/self/uid_map", O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return false;
  ssize_t n = read(fd, &one, 1);
  close(fd);
  return n == 0;
}

uint32_t sg_own_uid(void) {
  uid_t uid = getuid();
  return uid == nobody() && has_no_user_map() ? 0 : (uint32_t)uid;
}

bool sg_trusted_owner(uid_t owner) {
  if (owner == 0 || owner == geteuid())
    return true;
  return owner == nobody() && !maps_every_user();
}

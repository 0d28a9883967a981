/* owner.c - decides which owners of regions are trusted: root and the user. */
#include "../shell.h"
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NOT_READ UINT32_MAX /**< no user id */

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

/**
 * The user id that the kernel shows for a user without a mapping. Read once per process, because
 * each attach asks for it. It is one number for the whole machine, so fork, unshare and setns leave
 * it valid; a number that an administrator changes counts for processes that start later. The map
 * of users belongs to a namespace, and is read each time.
 */
static uid_t nobody(void) {
  static atomic_uint known = NOT_READ;
  unsigned id = atomic_load_explicit(&known, memory_order_relaxed);
  char text[32];
  if (id != NOT_READ)
    return id;
  if (!read_line("/proc/sys/kernel/overflowuid", text, sizeof text))
    return 65534; /* a later call may find /proc */
  id = (unsigned)strtoul(text, NULL, 10);
  atomic_store_explicit(&known, id, memory_order_relaxed);
  return id;
}

/** False also where /proc is not there. */
static bool maps_some_users_only(void) {
  return access("/proc/self/uid_map", R_OK) == 0 && !maps_every_user();
}

uint32_t sg_own_uid(void) {
  uid_t uid = getuid();
  return uid != 0 && maps_some_users_only() ? 0 : (uint32_t)uid;
}

bool sg_trusted_owner(uid_t owner) {
  if (owner == 0 || owner == geteuid())
    return true;
  return owner == nobody() && !maps_every_user();
}

bool sg_same_user(uid_t peer) {
  return peer == geteuid() && (peer != nobody() || maps_every_user());
}

/* names.c - looks users and groups up by the C library; see names.h. */
#include "names.h"
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>

int sg_gid_of_name(const char *name, uint32_t *gid) {
  char buffer[65536];
  struct group entry, *found = NULL;
  int error = getgrnam_r(name, &entry, buffer, sizeof buffer, &found);
  if (!found)
    return error == 0 || error == ENOENT ? SCHEDGPU_EINVAL : SCHEDGPU_ESYSTEM;
  *gid = entry.gr_gid;
  return SCHEDGPU_OK;
}

bool sg_name_of_uid(uint32_t uid, char *name, size_t size) {
  char buffer[16384];
  struct passwd entry, *found = NULL;
  if (getpwuid_r(uid, &entry, buffer, sizeof buffer, &found) != 0 || !found)
    return false;
  return snprintf(name, size, "%s", entry.pw_name) < (int)size;
}

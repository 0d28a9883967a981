/* private_dev.c - see private_dev.h. */
#include "private_dev.h"
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

/* The new one is built over /mnt. */
static bool build(void) {
  static const char *const files[] = {"null", "zero", "full", "random", "urandom"};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    char from[32], to[32];
    snprintf(from, sizeof from, "/dev/%s", files[i]);
    snprintf(to, sizeof to, "/mnt/%s", files[i]);
    int file = open(to, O_WRONLY | O_CREAT | O_EXCL, 0666);
    if (file < 0 || close(file) != 0 || mount(from, to, NULL, MS_BIND, NULL) != 0)
      return false;
  }
  return mkdir("/mnt/shm", 01777) == 0 &&
         (access("/dev/shm", F_OK) != 0 ||
          mount("/dev/shm", "/mnt/shm", NULL, MS_BIND | MS_REC, NULL) == 0) &&
         symlink("/proc/self/fd", "/mnt/fd") == 0;
}

const char *private_dev_enter(void) {
  if (geteuid() != 0)
    return NULL;
  if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
      mount("tmpfs", "/mnt", "tmpfs", 0, "mode=0755") != 0 || !build() ||
      mount("/mnt", "/dev", NULL, MS_MOVE, NULL) != 0)
    return "no mount namespaces here (a container without them): NVIDIA's libraries would make "
           "/dev/nvidiactl";
  return NULL;
}

/* namespace.c - see namespace.h. */
#include "namespace.h"
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

static const char *in(const struct node *node, const char *name) {
  static char path[4][160];
  static unsigned turn;
  char *text = path[turn++ % 4];
  snprintf(text, sizeof path[0], "%s/%s", node->dir, name);
  return text;
}

static void write_file(const char *path, const char *text) {
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
}

static bool permitted(void) {
  pid_t pid = fork();
  int status = 1;
  if (pid == 0)
    _exit(unshare(CLONE_NEWNS) != 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0);
  waitpid(pid, &status, 0);
  return geteuid() == 0 && status == 0;
}

bool namespace_prepare(const struct node *node, const char *ld_so_preload, const char *cgroup) {
  char command[256];
  if (!permitted())
    return false;
  assert_int_equal(chmod(node->dir, 0755), 0);
  assert_int_equal(mkdir(in(node, "etc"), 0755), 0);
  snprintf(command, sizeof command, "cp /etc/ld.so.cache /etc/passwd %s", in(node, "etc"));
  assert_int_equal(system(command), 0);
  write_file(in(node, "etc/ld.so.preload"), ld_so_preload);
  write_file(in(node, "cgroup"), cgroup);
  return true;
}

bool namespace_enter(const struct node *node) {
  return unshare(CLONE_NEWNS) == 0 && mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
         mount(in(node, "etc"), "/etc", NULL, MS_BIND, NULL) == 0 &&
         mount(in(node, "cgroup"), "/proc/self/cgroup", NULL, MS_BIND, NULL) == 0 &&
         mount("tmpfs", "/run", "tmpfs", 0, NULL) == 0 && mkdir("/run/schedgpu", 0755) == 0 &&
         mount(node->dir, "/run/schedgpu", NULL, MS_BIND, NULL) == 0;
}

void namespace_setuid_program(const struct node *node, const char *program) {
  char command[512];
  snprintf(command, sizeof command, "cp %s/%s %s", PROGRAMS_DIR, program,
           in(node, "setuid_program"));
  assert_int_equal(system(command), 0);
}

/* The node's folder may be on a file system without setuid; this one allows it. */
bool namespace_enter_as_nobody(const struct node *node) {
  char command[512];
  snprintf(command, sizeof command, "cp %s /mnt/ && chmod 4755 /mnt/setuid_program",
           in(node, "setuid_program"));
  return namespace_enter(node) && mount("tmpfs", "/mnt", "tmpfs", 0, NULL) == 0 &&
         system(command) == 0 && setgid(NAMESPACE_NOBODY) == 0 && setuid(NAMESPACE_NOBODY) == 0;
}

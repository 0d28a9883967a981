/*
 * names_getent.c - names of users and groups by getent(1), which knows every source in the node's
 * nsswitch.conf (LDAP, SSSD). A statically linked program must not load those modules itself. The
 * time is limited by HookTimeout, as for the whole hook. See names.h.
 */
#include "names.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef GETENT /* tests set another program */
#define GETENT "/usr/bin/getent"
#endif
#define NOT_FOUND 2 /* exit status of getent(1): no such key in the database */

static int start(const char *database, const char *key, int output, pid_t *pid) {
  char *const arguments[] = {"getent", (char *)database, "--", (char *)key, NULL};
  char *const environment[] = {NULL};
  posix_spawn_file_actions_t actions;
  signal(SIGCHLD, SIG_DFL); /* if the parent ignores SIGCHLD, waitpid() would find no child */
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  int error = posix_spawn(pid, GETENT, &actions, NULL, arguments, environment);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

/**
 * Reads the first line as far as it fits, without its newline. Reads the rest too, so that getent
 * does not fail.
 */
static void read_line(int fd, char *line, size_t size) {
  size_t length = 0;
  char rest[4096];
  for (;;) {
    bool full = length == size - 1;
    ssize_t n = read(fd, full ? rest : line + length, full ? sizeof rest : size - 1 - length);
    if (n <= 0 && !(n < 0 && errno == EINTR))
      break;
    length += n > 0 && !full ? (size_t)n : 0;
  }
  line[length] = '\0';
  line[strcspn(line, "\n")] = '\0';
}

static int await(pid_t pid) {
  int status;
  while (waitpid(pid, &status, 0) < 0)
    if (errno != EINTR)
      return SCHEDGPU_ESYSTEM;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
    return SCHEDGPU_OK;
  return WIFEXITED(status) && WEXITSTATUS(status) == NOT_FOUND ? SCHEDGPU_EINVAL : SCHEDGPU_ESYSTEM;
}

/** Reads the entry of `key` into `line`, as `name:password:number:...`. EINVAL: there is none;
 * ESYSTEM: getent failed. */
static int ask(const char *database, const char *key, char *line, size_t size) {
  int ends[2];
  pid_t pid;
  if (pipe2(ends, O_CLOEXEC) != 0)
    return SCHEDGPU_ESYSTEM;
  int error = start(database, key, ends[1], &pid);
  close(ends[1]);
  if (error == 0)
    read_line(ends[0], line, size);
  close(ends[0]);
  return error == 0 ? await(pid) : SCHEDGPU_ESYSTEM;
}

int sg_gid_of_name(const char *name, uint32_t *gid) {
  char line[1024], *rest = line;
  int rc = ask("group", name, line, sizeof line);
  if (rc != SCHEDGPU_OK)
    return rc;
  const char *found = strsep(&rest, ":");
  strsep(&rest, ":");
  const char *number = strsep(&rest, ":");
  if (strcmp(found, name) != 0)
    return SCHEDGPU_EINVAL; /* getent accepts the id of a group as its key */
  if (!number || number[0] < '0' || number[0] > '9')
    return SCHEDGPU_ESYSTEM;
  unsigned long parsed = strtoul(number, NULL, 10);
  *gid = (uint32_t)parsed;
  return parsed <= UINT32_MAX ? SCHEDGPU_OK : SCHEDGPU_ESYSTEM;
}

bool sg_name_of_uid(uint32_t uid, char *name, size_t size) {
  char key[16], line[1024], *rest = line;
  snprintf(key, sizeof key, "%u", uid);
  if (ask("passwd", key, line, sizeof line) != SCHEDGPU_OK)
    return false;
  return snprintf(name, size, "%s", strsep(&rest, ":")) < (int)size;
}

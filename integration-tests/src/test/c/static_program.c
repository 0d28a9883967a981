/*
 * static-program - linked statically, so nothing can be preloaded into it. Prints what its
 * environment says of that, and then does what its arguments say, in their order:
 *
 *   touch FILE   makes the file
 *   until FILE   waits until there is such a file
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define POLL_NS 5000000

static const char *variable(const char *name) {
  const char *value = getenv(name);
  return value ? value : "none";
}

static int touch(const char *file) {
  int fd = open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  return fd < 0 ? -1 : close(fd);
}

int main(int count, char **arguments) {
  printf("LD_PRELOAD=%s CUDA_VISIBLE_DEVICES=%s\n", variable("LD_PRELOAD"),
         variable("CUDA_VISIBLE_DEVICES"));
  fflush(stdout);
  for (int i = 1; i + 1 < count; i += 2) {
    if (strcmp(arguments[i], "touch") == 0 && touch(arguments[i + 1]) != 0)
      return 1;
    while (strcmp(arguments[i], "until") == 0 && access(arguments[i + 1], F_OK) != 0)
      nanosleep(&(struct timespec){0, POLL_NS}, NULL);
  }
  return 0;
}

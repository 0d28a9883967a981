/* small_file.c - see small_file.h. */
#include "small_file.h"
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

bool sg_read_small_file(const char *path, char *text, size_t size) {
  int saved = errno;
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  size_t length = 0;
  ssize_t n = fd < 0 ? -1 : 0;
  while (fd >= 0 && length < size - 1) {
    n = read(fd, text + length, size - 1 - length);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      break;
    length += (size_t)n;
  }
  if (fd >= 0)
    close(fd);
  text[length] = '\0';
  errno = saved;
  return n >= 0;
}

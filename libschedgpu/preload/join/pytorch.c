/*
 * pytorch.c - see pytorch.h. Reads the mapped files and does not ask the dynamic linker: dlopen()
 * waits while another thread runs constructors, and a fork during dl_iterate_phdr() leaves its lock
 * taken in the child forever.
 */
#include "pytorch.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

static const char library[] = "/libc10_cuda.so";
#define KEPT_BYTES (sizeof library - 2) /* the rest of a name that was split between two reads */

static bool is_in(int fd) {
  char text[4096 + KEPT_BYTES + 1];
  size_t kept = 0;
  ssize_t got;
  while ((got = read(fd, text + kept, 4096)) > 0 || (got < 0 && errno == EINTR)) {
    if (got < 0)
      continue;
    size_t end = kept + (size_t)got;
    text[end] = '\0';
    if (strstr(text, library))
      return true;
    kept = end < KEPT_BYTES ? end : KEPT_BYTES;
    memmove(text, text + end - kept, kept);
  }
  return false;
}

/* Forbids cancellation: a cancelled thread would leave the descriptor open. */
static bool is_mapped(void) {
  int cancel_state, saved = errno;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
  int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  bool found = fd >= 0 && is_in(fd);
  if (fd >= 0)
    close(fd);
  pthread_setcancelstate(cancel_state, NULL);
  errno = saved;
  return found;
}

static atomic_bool found;

bool sgp_pytorch_was_found(void) {
  return atomic_load_explicit(&found, memory_order_relaxed);
}

bool sgp_pytorch_is_loaded(void) {
  if (!sgp_pytorch_was_found() && is_mapped())
    atomic_store_explicit(&found, true, memory_order_relaxed);
  return sgp_pytorch_was_found();
}

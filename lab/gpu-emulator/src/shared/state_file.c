/* state_file.c - creates and maps the file with the state. */
#include "config.h"
#include "log.h"
#include "state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Changes with the layout, so that the file of another build is refused. */
static const uint64_t layout_magic = 0x454d554750550000u + sizeof(struct shared_state);

static struct shared_state *map(int fd) {
  void *at = mmap(NULL, sizeof(struct shared_state), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  return at == MAP_FAILED ? NULL : at;
}

static void initialize(struct shared_state *state, const struct config *config) {
  state->device_count = config->device_count;
  state->memory_bytes = config->memory_bytes;
  state->context_bytes = config->context_bytes;
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&state->lock, &attributes);
  pthread_mutexattr_destroy(&attributes);
  state->magic = layout_magic;
}

/* Writes a complete state into the open file. Returns 0 or an errno. */
static int fill(int fd, const struct config *config) {
  /* Several users share the devices, whatever umask the creator has. */
  if (fchmod(fd, 0666) || ftruncate(fd, sizeof(struct shared_state)))
    return errno;
  struct shared_state *state = map(fd);
  if (!state)
    return errno;
  initialize(state, config);
  munmap(state, sizeof *state);
  return 0;
}

/* Gives the file its name only when it is complete. If two processes create one, the second uses
 * the file of the first. Returns 0 or an errno. */
static int create(const char *path, const struct config *config) {
  char draft[4096];
  if (snprintf(draft, sizeof draft, "%s.%d", path, getpid()) >= (int)sizeof draft)
    return ENAMETOOLONG;
  unlink(draft);
  int fd = open(draft, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd < 0)
    return errno;
  int error = fill(fd, config);
  if (!error && link(draft, path) && errno != EEXIST)
    error = errno;
  unlink(draft);
  close(fd);
  return error;
}

static int open_or_create(const char *path) {
  int fd = open(path, O_RDWR | O_CLOEXEC);
  if (fd >= 0 || errno != ENOENT)
    return fd;
  struct config config;
  if (config_read(&config)) {
    errno = EINVAL;
    return -1;
  }
  int error = create(path, &config);
  if (error) {
    errno = error;
    return -1;
  }
  return open(path, O_RDWR | O_CLOEXEC);
}

static struct shared_state *map_checked(int fd, const char *path) {
  struct stat info;
  if (fstat(fd, &info) || info.st_size != sizeof(struct shared_state)) {
    log_error("%s is not a state file of this version: name another file in EMULATED_GPU_STATE",
              path);
    return NULL;
  }
  struct shared_state *state = map(fd);
  if (state && state->magic != layout_magic) {
    log_error("%s is of another version: name another file in EMULATED_GPU_STATE", path);
    munmap(state, sizeof *state);
    return NULL;
  }
  return state;
}

struct shared_state *state_open_at(const char *path) {
  int fd = open_or_create(path);
  if (fd < 0) {
    log_error("cannot open %s: %s: name a writable file in EMULATED_GPU_STATE", path,
              strerror(errno));
    return NULL;
  }
  struct shared_state *state = map_checked(fd, path);
  close(fd);
  return state;
}

struct shared_state *state_open(void) {
  static pthread_mutex_t once = PTHREAD_MUTEX_INITIALIZER;
  static struct shared_state *mapped;
  pthread_mutex_lock(&once);
  if (!mapped)
    mapped = state_open_at(config_state_path());
  struct shared_state *state = mapped;
  pthread_mutex_unlock(&once);
  return state;
}

void state_close(struct shared_state *state) {
  munmap(state, sizeof *state);
}

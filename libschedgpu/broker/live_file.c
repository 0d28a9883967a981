/*
 * live_file.c - the two files that a broker client maps: its liveness file and its client page.
 * Each client has its own liveness file, opened for reading only, so that it cannot lock the byte
 * of another client. Each process gets a new file, so that a process with an older file open cannot
 * pass as alive.
 */
#include "broker.h"
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#define LIVE_SIZE 4096

static int path_of(const schedgpu_broker *b, uint32_t slot, char *path) {
  char name[32];
  snprintf(name, sizeof name, SG_BROKER_CLIENTS_DIR "/%u", slot);
  return sg_path(path, b->run_dir, name);
}

static int make_folder(const schedgpu_broker *b) {
  char path[PATH_MAX];
  int rc = sg_path(path, b->run_dir, SG_BROKER_CLIENTS_DIR);
  if (rc == SCHEDGPU_OK)
    mkdir(path,
          0700); /* if that fails, the folder exists or opening a file in it reports the reason */
  return rc;
}

/**
 * Takes a shared lock, because the file is open for reading only. A test for a lock finds it as
 * well.
 */
static bool lock_byte(int fd, uint32_t slot) {
  struct flock l = {.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = slot, .l_len = 1};
  return fcntl(fd, F_OFD_SETLK, &l) == 0;
}

static int open_and_lock(const char *path, uint32_t slot, int *fd) {
  *fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (*fd >= 0 && lock_byte(*fd, slot))
    return SCHEDGPU_OK;
  if (*fd >= 0)
    close(*fd);
  *fd = -1;
  return SCHEDGPU_ESYSTEM;
}

int sg_live_file_make(schedgpu_broker *b, uint32_t slot, int *fd, struct stat *st) {
  char path[PATH_MAX], fresh[PATH_MAX];
  int rc = make_folder(b);
  if (rc != SCHEDGPU_OK || path_of(b, slot, path) != SCHEDGPU_OK ||
      sg_path(fresh, b->run_dir, SG_BROKER_CLIENTS_DIR "/.new") != SCHEDGPU_OK)
    return SCHEDGPU_EINVAL;
  unlink(fresh);
  int made = open(fresh, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (made < 0)
    return sg_error_of_errno();
  rc = ftruncate(made, LIVE_SIZE) == 0 && fstat(made, st) == 0 ? SCHEDGPU_OK : SCHEDGPU_ESYSTEM;
  close(made);
  if (rc == SCHEDGPU_OK)
    rc = open_and_lock(fresh, slot, fd);
  if (rc == SCHEDGPU_OK && rename(fresh, path) != 0) {
    close(*fd);
    *fd = -1;
    rc = SCHEDGPU_ESYSTEM;
  }
  return rc;
}

int sg_live_file_open(schedgpu_broker *b, uint32_t slot, int *fd, struct stat *st) {
  char path[PATH_MAX];
  int rc = path_of(b, slot, path);
  if (rc != SCHEDGPU_OK)
    return rc;
  if (access(path, F_OK) != 0)
    return sg_live_file_make(b, slot, fd, st);
  rc = open_and_lock(path, slot, fd);
  if (rc == SCHEDGPU_OK && fstat(*fd, st) != 0) {
    close(*fd);
    *fd = -1;
    rc = SCHEDGPU_ESYSTEM;
  }
  return rc;
}

void sg_live_file_remove(schedgpu_broker *b, uint32_t slot) {
  char path[PATH_MAX];
  if (path_of(b, slot, path) == SCHEDGPU_OK)
    unlink(path);
}

/** Sealed, because a client that truncated it would end the agent with SIGBUS. */
struct sg_page *sg_page_make(int *fd) {
  *fd = memfd_create(SG_PAGE_NAME, MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (*fd < 0)
    return NULL;
  void *p = MAP_FAILED;
  if (ftruncate(*fd, SG_PAGE_SIZE) == 0 &&
      fcntl(*fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0)
    p = mmap(NULL, SG_PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, *fd, 0);
  if (p != MAP_FAILED)
    return p;
  close(*fd);
  *fd = -1;
  return NULL;
}

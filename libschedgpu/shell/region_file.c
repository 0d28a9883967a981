/* region_file.c - the region as a file: complete when it becomes visible, checked when it is
 * opened. */
#include "shell.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static int join(char *path, const char *dir, const char *name) {
  int n = snprintf(path, PATH_MAX, "%s/%s", dir, name);
  return n > 0 && n < PATH_MAX ? SCHEDGPU_OK : SCHEDGPU_EINVAL;
}

static int error_of_errno(void) {
  switch (errno) {
  case ENOENT:
  case ENOTDIR:
    return SCHEDGPU_ENOREGION;
  case EACCES:
  case EPERM:
  case EROFS:
    return SCHEDGPU_EPERM;
  default:
    return SCHEDGPU_ESYSTEM;
  }
}

static int map(struct sg_handle *h, int fd, bool writable) {
  struct stat st;
  if (fstat(fd, &st) != 0)
    return SCHEDGPU_ESYSTEM;
  if (!S_ISREG(st.st_mode) || (uint64_t)st.st_size < sizeof(struct sg_header))
    return SCHEDGPU_ECORRUPT;
  int protection = PROT_READ | (writable ? PROT_WRITE : 0);
  size_t size = (size_t)st.st_size;
  void *p = mmap(NULL, size, protection, MAP_SHARED, fd, 0);
  if (p == MAP_FAILED)
    return SCHEDGPU_ESYSTEM;
  int rc = sg_region_verify(p, size);
  if (rc != SCHEDGPU_OK) {
    munmap(p, size);
    return rc;
  }
  madvise(p, size, MADV_DONTFORK); /* a forked child must not act in its parent's name */
  h->r = p;
  h->dev = st.st_dev;
  h->ino = st.st_ino;
  h->writable = writable;
  h->slot = SG_NONE;
  return SCHEDGPU_OK;
}

int sg_open(struct sg_handle *h, const char *run_dir) {
  char path[PATH_MAX];
  *h = (struct sg_handle){.slot = SG_NONE};
  if (join(path, run_dir, SG_REGION_FILE) != SCHEDGPU_OK)
    return SCHEDGPU_EINVAL;
  bool writable = true;
  int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0 && (errno == EACCES || errno == EPERM || errno == EROFS)) {
    writable = false;
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  }
  if (fd < 0)
    return error_of_errno();
  int rc = map(h, fd, writable);
  close(fd);
  snprintf(h->run_dir, sizeof h->run_dir, "%s", run_dir);
  return rc;
}

bool sg_region_there(const struct sg_handle *h) {
  char path[PATH_MAX + 8];
  struct stat st;
  snprintf(path, sizeof path, "%s/" SG_REGION_FILE, h->run_dir);
  if (stat(path, &st) != 0)
    return errno != ENOENT && errno != ENOTDIR;
  return st.st_dev == h->dev && st.st_ino == h->ino;
}

int sg_reopen(struct sg_handle *h, const char *run_dir) {
  if (h->r && h->writable && strcmp(h->run_dir, run_dir) == 0 && sg_region_there(h))
    return sg_region_verify(h->r, sizeof *h->r);
  struct sg_handle fresh;
  int rc = sg_open(&fresh, run_dir);
  if (rc == SCHEDGPU_OK)
    *h = fresh;
  return rc;
}

void sg_close(struct sg_handle *h) {
  if (h->slot != SG_NONE)
    sg_slot_drop(h);
  if (h->r)
    munmap(h->r, sizeof *h->r);
  *h = (struct sg_handle){.slot = SG_NONE};
}

/**
 * fchmod instead of the creation mode: the umask is the host's and stays as it is. With a group
 * nobody else may even read: who can open `live` can lock all of its bytes.
 */
static int share(int fd, int32_t group) {
  if (group >= 0 && fchown(fd, (uid_t)-1, (gid_t)group) != 0)
    return error_of_errno();
  return fchmod(fd, group >= 0 ? 0660 : 0666) == 0 ? SCHEDGPU_OK : SCHEDGPU_ESYSTEM;
}

static int create_live_file(const char *run_dir, int32_t group) {
  char path[PATH_MAX];
  if (join(path, run_dir, SG_LIVE_FILE) != SCHEDGPU_OK)
    return SCHEDGPU_EINVAL;
  int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0)
    return error_of_errno();
  int rc = ftruncate(fd, 4096) == 0 ? share(fd, group) : SCHEDGPU_ESYSTEM;
  close(fd);
  return rc;
}

/** A file without a name: whoever is killed while filling it leaves nothing behind. */
static int nameless(const char *dir, char *name, size_t size) {
  name[0] = 0;
  int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL))
    return fd;
  snprintf(name, size, "%s/" SG_REGION_FILE ".new.%d", dir, (int)getpid());
  return open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
}

static int publish(int fd, const char *name, const char *path) {
  char self[64];
  snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
  int rc = name[0] ? link(name, path) : linkat(AT_FDCWD, self, AT_FDCWD, path, AT_SYMLINK_FOLLOW);
  if (rc == 0 || errno == EEXIST) /* somebody was faster: theirs is as good */
    return SCHEDGPU_OK;
  return error_of_errno();
}

static int fill(int fd, const struct schedgpu_setup *setup) {
  if (ftruncate(fd, (off_t)sizeof(struct sg_region)) != 0)
    return SCHEDGPU_ESYSTEM;
  struct sg_region *r = mmap(NULL, sizeof *r, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (r == MAP_FAILED)
    return SCHEDGPU_ESYSTEM;
  int rc = sg_region_init(r, setup, sg_now_ns());
  munmap(r, sizeof *r);
  return rc;
}

int sg_create(const char *run_dir, const struct schedgpu_setup *setup) {
  char path[PATH_MAX], name[PATH_MAX];
  if (join(path, run_dir, SG_REGION_FILE) != SCHEDGPU_OK)
    return SCHEDGPU_EINVAL;
  if (mkdir(run_dir, 0755) != 0 && errno != EEXIST) /* its parent is missing, or a file */
    return errno == ENOENT || errno == ENOTDIR ? SCHEDGPU_ESYSTEM : error_of_errno();
  int rc = create_live_file(run_dir, setup->group);
  if (rc != SCHEDGPU_OK)
    return rc;
  int fd = nameless(run_dir, name, sizeof name);
  if (fd < 0)
    return error_of_errno();
  rc = fill(fd, setup);
  if (rc == SCHEDGPU_OK)
    rc = share(fd, setup->group);
  if (rc == SCHEDGPU_OK)
    rc = publish(fd, name, path);
  if (name[0])
    unlink(name);
  close(fd);
  return rc;
}

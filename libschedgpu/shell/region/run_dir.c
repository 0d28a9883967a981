/* run_dir.c - creates, reads and replaces the files of a run directory; see run_dir.h. */
#include "run_dir.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define LIVE_SIZE 4096

int sg_path(char *path, const char *dir, const char *name) {
  int n = snprintf(path, PATH_MAX, "%s/%s", dir, name);
  return n > 0 && n < PATH_MAX ? SCHEDGPU_OK : SCHEDGPU_EINVAL;
}

int sg_error_of_errno(void) {
  switch (errno) {
  case ENOENT:
  case ENOTDIR:
  case EIDRM:
    return SCHEDGPU_ENOREGION;
  case EACCES:
  case EPERM:
  case EROFS:
    return SCHEDGPU_EPERM;
  default:
    return SCHEDGPU_ESYSTEM;
  }
}

static int read_all(int fd, void *bytes, size_t *size) {
  size_t room = *size;
  for (*size = 0; *size < room;) {
    ssize_t n = read(fd, (char *)bytes + *size, room - *size);
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return SCHEDGPU_ESYSTEM;
    if (n == 0)
      break;
    *size += (size_t)n;
  }
  return SCHEDGPU_OK;
}

int sg_file_read(const char *dir, const char *name, void *bytes, size_t *size, struct stat *st) {
  char path[PATH_MAX];
  if (sg_path(path, dir, name) != SCHEDGPU_OK)
    return SCHEDGPU_EINVAL;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0)
    return sg_error_of_errno();
  int rc = fstat(fd, st) == 0 ? SCHEDGPU_OK : SCHEDGPU_ESYSTEM;
  if (rc == SCHEDGPU_OK)
    rc = S_ISREG(st->st_mode) ? read_all(fd, bytes, size) : SCHEDGPU_ECORRUPT;
  close(fd);
  return rc;
}

/**
 * Sets mode and group by fchmod(), because the umask belongs to the program and stays. With a
 * group, others may not even read: a process that can open `live` can lock all of its bytes.
 */
static int share(int fd, mode_t mode, int32_t group) {
  if (group >= 0 && fchown(fd, (uid_t)-1, (gid_t)group) != 0)
    return sg_error_of_errno();
  return fchmod(fd, mode) == 0 ? SCHEDGPU_OK : SCHEDGPU_ESYSTEM;
}

static int write_all(int fd, const void *bytes, size_t size) {
  for (size_t done = 0; done < size;) {
    ssize_t n = write(fd, (const char *)bytes + done, size - done);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return SCHEDGPU_ESYSTEM;
    done += (size_t)n;
  }
  return SCHEDGPU_OK;
}

/** The temporary name is always the same, so a file of a killed process is overwritten. */
static int new_path(char *path, const char *dir, const char *name) {
  char hidden[64];
  snprintf(hidden, sizeof hidden, ".%s.new", name);
  return sg_path(path, dir, hidden);
}

int sg_file_replace(const char *dir, const char *name, const void *bytes, size_t size, mode_t mode,
                    int32_t group) {
  char path[PATH_MAX], fresh[PATH_MAX];
  if (sg_path(path, dir, name) != SCHEDGPU_OK || new_path(fresh, dir, name) != SCHEDGPU_OK)
    return SCHEDGPU_EINVAL;
  unlink(fresh);
  int fd = open(fresh, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0)
    return sg_error_of_errno();
  sg_crash_point();
  int rc = write_all(fd, bytes, size);
  sg_crash_point();
  if (rc == SCHEDGPU_OK)
    rc = share(fd, mode, group);
  close(fd);
  sg_crash_point();
  if (rc == SCHEDGPU_OK && rename(fresh, path) != 0)
    rc = sg_error_of_errno();
  if (rc != SCHEDGPU_OK)
    unlink(fresh);
  sg_crash_point();
  return rc;
}

int sg_live_find(const char *dir, const char *name, struct stat *st) {
  char path[PATH_MAX];
  int rc = sg_path(path, dir, name);
  return rc == SCHEDGPU_OK && lstat(path, st) != 0 ? sg_error_of_errno() : rc;
}

/**
 * The mode of a liveness file. Users test the bytes of the root side, for which they open the file
 * for reading. That allows read locks, by which a byte looks taken, as in `live`.
 */
static mode_t live_mode(const char *name, int32_t group) {
  mode_t mode = group >= 0 ? 0660 : group == SCHEDGPU_GROUP_NONE ? 0600 : 0666;
  return strcmp(name, SG_ROOT_LIVE_FILE) == 0 ? mode & 0644 : mode;
}

int sg_live_create(const char *dir, const char *name, int32_t group, struct stat *st) {
  static const char zeros[LIVE_SIZE];
  int rc = sg_file_replace(dir, name, zeros, sizeof zeros, live_mode(name, group), group);
  return rc == SCHEDGPU_OK ? sg_live_find(dir, name, st) : rc;
}

/** Removes the liveness files of broker clients, and their folder, which most nodes do not have. */
static void remove_client_files(const char *dir) {
  char folder[PATH_MAX], path[PATH_MAX], name[32];
  if (sg_path(folder, dir, SG_BROKER_CLIENTS_DIR) != SCHEDGPU_OK || rmdir(folder) == 0 ||
      errno == ENOENT)
    return;
  for (uint32_t slot = 0; slot < SG_SLOTS; slot++) {
    snprintf(name, sizeof name, SG_BROKER_CLIENTS_DIR "/%u", slot);
    if (sg_path(path, dir, name) == SCHEDGPU_OK)
      unlink(path);
  }
  if (sg_path(path, dir, SG_BROKER_CLIENTS_DIR "/.new") == SCHEDGPU_OK)
    unlink(path);
  rmdir(folder);
}

void sg_files_remove(const char *dir) {
  static const char *const names[] = {
      SG_REGION_FILE, SG_CHECKPOINT_FILE, SG_CHECKPOINT_DUE_FILE, SG_ANSWER_LOCK, SG_LIVE_FILE,
      SG_ROOT_LIVE_FILE, SG_AGENT_SOCKET, SG_BROKER_LOCK,
      /* the agent's: what it learned of jobs, and their time limits */
      "learned", "learned.persistent", "learned.new", "limits", "limits.new"};
  char path[PATH_MAX];
  remove_client_files(dir);
  for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
    if (sg_path(path, dir, names[i]) == SCHEDGPU_OK)
      unlink(path);
    if (new_path(path, dir, names[i]) == SCHEDGPU_OK)
      unlink(path);
    sg_crash_point();
  }
}

/** 0: locked; 1: another process has it; negative: an error. */
static int try_to_lock(int fd) {
  struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  if (fcntl(fd, F_OFD_SETLK, &whole) == 0)
    return 0;
  return errno == EAGAIN || errno == EACCES ? 1 : SCHEDGPU_ESYSTEM;
}

/** True if the file still has its name. A removed file locks no other process out. */
static bool still_named(int fd, const char *path) {
  struct stat mine, now;
  return fstat(fd, &mine) == 0 && lstat(path, &now) == 0 && mine.st_dev == now.st_dev &&
         mine.st_ino == now.st_ino;
}

static int open_lock(const char *path, int *fd) {
  struct stat st;
  *fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (*fd < 0)
    return sg_error_of_errno();
  if (fstat(*fd, &st) == 0 && st.st_uid == geteuid())
    return SCHEDGPU_OK;
  close(*fd);
  return SCHEDGPU_EOWNER;
}

int sg_setup_lock(const char *dir, uint64_t timeout_ns, int *fd) {
  char path[PATH_MAX];
  uint64_t give_up_ns = sg_now_ns() + timeout_ns;
  if (sg_path(path, dir, SG_SETUP_LOCK_FILE) != SCHEDGPU_OK)
    return SCHEDGPU_EINVAL;
  for (;;) {
    int rc = open_lock(path, fd);
    if (rc != SCHEDGPU_OK)
      return rc;
    rc = try_to_lock(*fd);
    if (rc == 0 && still_named(*fd, path))
      return SCHEDGPU_OK;
    close(*fd);
    if (rc < 0)
      return rc;
    if (sg_now_ns() > give_up_ns)
      return SCHEDGPU_ELOCK;
    struct timespec pause = {0, 1000000};
    nanosleep(&pause, NULL);
  }
}

void sg_setup_unlock(int fd) {
  close(fd);
}

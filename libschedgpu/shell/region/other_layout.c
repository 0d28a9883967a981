/* other_layout.c - see other_layout.h */
#include "other_layout.h"
#include "descriptor.h"
#include "run_dir.h"
#include "segment.h"
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/** Parses the part that descriptors of all layouts since the third share. */
static int parse(const char *text, const struct stat *st, struct sg_descriptor *d,
                 uint32_t *version) {
  *d = (struct sg_descriptor){.owner = st->st_uid};
  if (!sg_trusted_owner(st->st_uid))
    return SCHEDGPU_EOWNER;
  return sscanf(text, "schedgpu region %u shmid %d key 0x%x", version, &d->shmid, &d->key) == 3
             ? SCHEDGPU_OK
             : SCHEDGPU_EVERSION;
}

static int read_descriptor(const char *run_dir, struct sg_descriptor *d, uint32_t *version) {
  char text[513];
  size_t size = sizeof text - 1;
  struct stat st;
  int rc = sg_descriptor_read(run_dir, d);
  if (rc != SCHEDGPU_EVERSION)
    return rc == SCHEDGPU_OK || rc == SCHEDGPU_ECORRUPT ? SCHEDGPU_ENOREGION : rc;
  rc = sg_file_read(run_dir, SG_REGION_FILE, text, &size, &st);
  if (rc != SCHEDGPU_OK)
    return rc;
  text[size] = 0;
  return parse(text, &st, d, version);
}

/** True if a process holds a lock anywhere in the file. */
static bool is_locked(int dir, const char *name) {
  struct flock l = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  int fd = openat(dir, name, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  bool locked = fd >= 0 && fcntl(fd, F_OFD_GETLK, &l) == 0 && l.l_type != F_UNLCK;
  if (fd >= 0)
    close(fd);
  return locked;
}

/** Counts broker clients: each has its own file, locked as long as it lives. */
static uint64_t count_broker_clients(const char *run_dir) {
  char path[PATH_MAX];
  uint64_t count = 0;
  DIR *dir = sg_path(path, run_dir, SG_BROKER_CLIENTS_DIR) == SCHEDGPU_OK ? opendir(path) : NULL;
  for (struct dirent *e = dir ? readdir(dir) : NULL; e; e = readdir(dir))
    count += e->d_name[0] != '.' && is_locked(dirfd(dir), e->d_name);
  if (dir)
    closedir(dir);
  return count;
}

/** Finds the segment without attaching to it, which would count as a user. */
static int find_segment(const struct sg_descriptor *d, struct sg_other_layout *other) {
  struct shmid_ds facts;
  int rc =
      shmctl(d->shmid, IPC_STAT, &facts) == 0 ? sg_segment_identify(d, &facts) : SCHEDGPU_ENOREGION;
  other->shmid = rc == SCHEDGPU_OK ? d->shmid : -1;
  other->processes = rc == SCHEDGPU_OK ? facts.shm_nattch : 0;
  return rc == SCHEDGPU_ENOREGION ? SCHEDGPU_OK : rc;
}

int sg_other_layout_find(const char *run_dir, struct sg_other_layout *other) {
  struct sg_descriptor d;
  *other = (struct sg_other_layout){.shmid = -1};
  int rc = read_descriptor(run_dir, &d, &other->version);
  if (rc == SCHEDGPU_OK)
    rc = find_segment(&d, other);
  if (rc == SCHEDGPU_OK)
    other->processes += count_broker_clients(run_dir);
  return rc;
}

int sg_other_layout_replace(const char *run_dir) {
  struct sg_other_layout other;
  int rc = sg_other_layout_find(run_dir, &other);
  if (rc != SCHEDGPU_OK)
    return rc;
  if (other.processes > 0)
    return SCHEDGPU_EVERSION;
  rc = other.shmid >= 0 ? sg_segment_remove(other.shmid) : SCHEDGPU_OK;
  sg_crash_point();
  return rc == SCHEDGPU_OK ? SCHEDGPU_ENOREGION : rc;
}

int schedgpu_admin_other_layout(const char *run_dir, uint32_t *version, uint64_t *processes) {
  struct sg_other_layout other;
  int rc = sg_other_layout_find(run_dir, &other);
  *version = other.version;
  *processes = other.processes;
  return rc;
}

/* segment.c - creates, finds and removes the shared memory segment; see segment.h. */
#include "segment.h"
#include "run_dir.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/** Number of keys to try if segments of other users occupy some. */
#define KEYS 16

/** Maps errno. IPC calls return EINVAL for an id without a segment. */
static int error_of_ipc(void) {
  return errno == EINVAL || errno == EIDRM ? SCHEDGPU_ENOREGION : sg_error_of_errno();
}

/** Attaches. A child forked between shmat and MADV_DONTFORK would stay attached, so forks wait. */
static void *attach(int shmid, int flags, size_t size) {
  sg_forbid_forks();
  void *p = shmat(shmid, NULL, flags);
  if (p != (void *)-1)
    madvise(p, size, MADV_DONTFORK); /* a forked child must not act for its parent */
  sg_allow_forks();
  return p;
}

int sg_segment_attach(struct sg_handle *h, int shmid, struct shmid_ds *facts) {
  h->writable = true;
  void *p = attach(shmid, 0, sizeof *h->r);
  if (p == (void *)-1 && errno == EACCES) {
    h->writable = false;
    p = attach(shmid, SHM_RDONLY, sizeof *h->r);
  }
  if (p == (void *)-1)
    return error_of_ipc();
  h->r = p;
  h->shmid = shmid;
  h->slot = SG_NONE;
  if (!sg_segment_facts(h, facts)) { /* only now: the id of an attached segment is not reused */
    sg_segment_detach(h);
    return SCHEDGPU_ESYSTEM;
  }
  h->size = facts->shm_segsz;
  return SCHEDGPU_OK;
}

void sg_segment_detach(struct sg_handle *h) {
  if (h->r)
    shmdt(h->r);
  h->r = NULL;
}

bool sg_segment_facts(const struct sg_handle *h, struct shmid_ds *facts) {
  return shmctl(h->shmid, IPC_STAT, facts) == 0;
}

int sg_segment_identify(const struct sg_descriptor *d, const struct shmid_ds *facts) {
  if ((facts->shm_perm.mode & SHM_DEST) || (uint32_t)facts->shm_perm.__key != d->key)
    return SCHEDGPU_ENOREGION;
  if (facts->shm_perm.cuid != d->owner || facts->shm_perm.uid != d->owner)
    return SCHEDGPU_EOWNER;
  return SCHEDGPU_OK;
}

static key_t key_of(const char *path, uint32_t attempt) {
  uint32_t sum = 2166136261u ^ attempt; /* FNV-1a */
  for (; *path; path++)
    sum = (sum ^ (unsigned char)*path) * 16777619u;
  return (key_t)(sum != IPC_PRIVATE ? sum : 1);
}

static int real_path(const char *run_dir, char *path) {
  return realpath(run_dir, path) ? SCHEDGPU_OK : sg_error_of_errno();
}

/** Also checks that its creator has not changed the owner. */
static bool is_ours(const struct shmid_ds *facts) {
  uid_t self = geteuid();
  return facts->shm_perm.cuid == self && facts->shm_perm.uid == self;
}

int sg_segment_find(const char *run_dir, struct sg_handle *h, struct shmid_ds *facts) {
  char path[PATH_MAX];
  int rc = real_path(run_dir, path);
  if (rc != SCHEDGPU_OK)
    return rc;
  for (uint32_t i = 0; i < KEYS; i++) {
    int shmid = shmget(key_of(path, i), 0, 0);
    if (shmid < 0 || shmctl(shmid, IPC_STAT, facts) != 0 || !is_ours(facts))
      continue;
    rc = sg_segment_attach(h, shmid, facts);
    if (rc != SCHEDGPU_OK || is_ours(facts))
      return rc;
    sg_segment_detach(h);
  }
  return SCHEDGPU_ENOREGION;
}

/** Creates a segment. If all keys are taken it has none, and only the descriptor leads to it. */
static int create_any(const char *path) {
  size_t size = sizeof(struct sg_region);
  for (uint32_t i = 0; i < KEYS; i++) {
    int shmid = shmget(key_of(path, i), size, IPC_CREAT | IPC_EXCL | 0600);
    if (shmid >= 0 || errno != EEXIST)
      return shmid;
  }
  return shmget(IPC_PRIVATE, size, IPC_CREAT | 0600);
}

int sg_segment_create(const char *run_dir, struct sg_handle *h, struct shmid_ds *facts) {
  char path[PATH_MAX];
  int rc = real_path(run_dir, path);
  if (rc != SCHEDGPU_OK)
    return rc;
  int shmid = create_any(path);
  if (shmid < 0)
    return sg_error_of_errno() == SCHEDGPU_ENOREGION ? SCHEDGPU_ESYSTEM : sg_error_of_errno();
  sg_crash_point();
  rc = sg_segment_attach(h, shmid, facts);
  if (rc != SCHEDGPU_OK) {
    sg_segment_remove(shmid);
    return rc;
  }
  memset(h->r, 0,
         sizeof *h->r); /* allocates all pages, so that none is missing when memory is short */
  sg_crash_point();
  return SCHEDGPU_OK;
}

int sg_segment_admit(const struct sg_handle *h, int32_t group) {
  struct shmid_ds facts;
  if (!sg_segment_facts(h, &facts))
    return error_of_ipc();
  facts.shm_perm.mode = group >= 0 ? 0660 : group == SCHEDGPU_GROUP_NONE ? 0600 : 0666;
  if (group >= 0)
    facts.shm_perm.gid = (gid_t)group;
  int rc = shmctl(h->shmid, IPC_SET, &facts) == 0 ? SCHEDGPU_OK : error_of_ipc();
  sg_crash_point();
  return rc;
}

int sg_segment_remove(int shmid) {
  return shmctl(shmid, IPC_RMID, NULL) == 0 ? SCHEDGPU_OK : error_of_ipc();
}

bool sg_segments_removed_unused(void) {
  char digit = '0';
  int fd = open("/proc/sys/kernel/shm_rmid_forced", O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return false;
  ssize_t n = read(fd, &digit, 1);
  close(fd);
  return n == 1 && digit != '0';
}

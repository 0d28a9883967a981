/*
 * create.c - creates, adopts and removes the region, under the setup lock and so by one process at
 * a time. If it is killed at any point, the next process adopts or removes what it left.
 */
#include "check.h"
#include "other_layout.h"
#include "run_dir.h"
#include "../sys/sluid.h"
#include "segment.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LOCK_TIMEOUT_NS INT64_C(5000000000)

/** Creates the run directory. Its owner can replace everything in it. */
static int make_run_dir(const char *run_dir) {
  struct stat st;
  if (mkdir(run_dir, 0755) == 0)
    return SCHEDGPU_OK;
  if (errno == EEXIST && stat(run_dir, &st) == 0)
    return sg_trusted_owner(st.st_uid) ? SCHEDGPU_OK : SCHEDGPU_EOWNER;
  return errno == ENOENT || errno == ENOTDIR
             ? SCHEDGPU_ESYSTEM /* the parent folder is missing, or is a file */
             : sg_error_of_errno();
}

static void start_handle(struct sg_handle *h, const char *run_dir) {
  *h = (struct sg_handle){.slot = SG_NONE};
  snprintf(h->run_dir, sizeof h->run_dir, "%s", run_dir);
}

static int create(struct sg_handle *h, const struct schedgpu_setup *setup, struct shmid_ds *facts) {
  struct stat live, root_live;
  int rc = sg_live_create(h->run_dir, SG_LIVE_FILE, setup->group, &live);
  if (rc == SCHEDGPU_OK)
    rc = sg_live_create(h->run_dir, SG_ROOT_LIVE_FILE, setup->group, &root_live);
  if (rc == SCHEDGPU_OK)
    rc = sg_segment_create(h->run_dir, h, facts);
  if (rc != SCHEDGPU_OK)
    return rc;
  SG_PUT(h->r->h.live_dev, (uint64_t)live.st_dev);
  SG_PUT(h->r->h.live_ino, (uint64_t)live.st_ino);
  SG_PUT(h->r->h.root_live_ino, (uint64_t)root_live.st_ino);
  rc = sg_region_init(h->r, setup, sg_now_ns());
  if (rc == SCHEDGPU_OK)
    rc = sg_checkpoint_write(h->r, h->run_dir);
  if (rc != SCHEDGPU_OK)
    sg_segment_remove(h->shmid);
  return rc;
}

/** Completes a sealed region, whose creator was killed just before it published the descriptor. */
static bool complete(struct sg_handle *h) {
  if (h->size != sizeof *h->r || h->r->h.magic != SG_MAGIC || !sg_header_sealed(&h->r->h))
    return false;
  atomic_store(&h->r->h.ready, 1);
  return true;
}

static bool unused(const struct shmid_ds *facts) {
  return facts->shm_nattch <= 1;
}

static int32_t group_of(const struct sg_handle *h) {
  struct shmid_ds facts;
  if (!h->r || !sg_segment_facts(h, &facts) || (facts.shm_perm.mode & 0006) != 0)
    return -1;
  /* not shared yet: the next setup does it */
  return (facts.shm_perm.mode & 0060) == 0 ? SCHEDGPU_GROUP_NONE : (int32_t)facts.shm_perm.gid;
}

/** Restores the header from the checkpoint of that region, or of any if no descriptor names one. */
static bool repair_header(struct sg_handle *h, uint64_t created_ns) {
  return h->size == sizeof *h->r && sg_restore_header(h->r, h->run_dir, created_ns);
}

/**
 * Adopts a segment of ours. A complete one is the region with all of its reservations. A segment
 * that its creator left incomplete was never used. One that is damaged beyond repair, or of another
 * layout, is removed if no process uses it.
 */
static int adopt(struct sg_handle *h, const struct shmid_ds *facts, uint64_t created_ns,
                 bool may_remove) {
  int rc = sg_region_verify(h->r, h->size);
  if (rc == SCHEDGPU_OK || complete(h) || repair_header(h, created_ns))
    return SCHEDGPU_OK;
  if (!unused(facts) || !may_remove)
    return rc;
  sg_segment_remove(h->shmid);
  sg_crash_point();
  sg_segment_detach(h);
  return SCHEDGPU_ENOREGION;
}

static int describe(struct sg_handle *h, const struct shmid_ds *facts, int32_t group) {
  struct sg_descriptor d = {.shmid = h->shmid,
                            .key = (uint32_t)facts->shm_perm.__key,
                            .size = h->size,
                            .created_ns = h->r->h.created_ns};
  return sg_descriptor_write(h->run_dir, &d, group);
}

static int find_or_create(struct sg_handle *h, const struct schedgpu_setup *setup,
                          uint64_t created_ns) {
  struct shmid_ds facts;
  int rc = sg_segment_find(h->run_dir, h, &facts);
  if (rc == SCHEDGPU_OK)
    rc = adopt(h, &facts, created_ns, setup != NULL);
  int32_t group = setup ? setup->group : group_of(h);
  if (rc == SCHEDGPU_ENOREGION && setup)
    rc = create(h, setup, &facts);
  if (rc == SCHEDGPU_OK && (setup || (facts.shm_perm.mode & 0777) == 0600))
    rc = sg_segment_admit(h, group);
  return rc == SCHEDGPU_OK ? describe(h, &facts, group) : rc;
}

/**
 * Names the new liveness files in the header. That needs the lock, and so a slot that is locked in
 * a liveness file: in the new one, in the slot that only setup uses.
 */
static int name_live(struct sg_handle *h, const struct stat *live, const struct stat *root_live) {
  h->repairing = true;
  h->live_dev = (uint64_t)root_live->st_dev;
  h->live_ino = (uint64_t)root_live->st_ino;
  int rc = sg_slot_take(h, SG_SETUP_SLOT, SG_SETUP_SLOT + 1);
  if (rc == SCHEDGPU_OK)
    rc = sg_lock(h, LOCK_TIMEOUT_NS);
  if (rc != SCHEDGPU_OK)
    return rc;
  sg_unseal_header(h->r);
  SG_PUT(h->r->h.live_dev, h->live_dev);
  SG_PUT(h->r->h.live_ino, (uint64_t)live->st_ino);
  SG_PUT(h->r->h.root_live_ino, h->live_ino);
  sg_seal_header(h->r);
  sg_unlock(h);
  return SCHEDGPU_OK;
}

/** Opens the liveness file if it is the one that the region names; else creates a new one. */
static int find_or_create_live(const struct sg_handle *h, const char *name, uint32_t slot,
                               struct stat *st) {
  return sg_live_file_current(h, slot) ? sg_live_find(h->run_dir, name, st)
                                       : sg_live_create(h->run_dir, name, group_of(h), st);
}

/** Replaces missing liveness files. Processes that locked the old ones stay alive: see
 * liveness.c. */
static int repair_live_files(struct sg_handle *h) {
  struct stat live, root_live;
  if (sg_live_files_current(h))
    return SCHEDGPU_OK;
  int rc = find_or_create_live(h, SG_LIVE_FILE, SG_FIRST_CLIENT, &live);
  if (rc == SCHEDGPU_OK)
    rc = find_or_create_live(h, SG_ROOT_LIVE_FILE, SG_SETUP_SLOT, &root_live);
  return rc == SCHEDGPU_OK ? name_live(h, &live, &root_live) : rc;
}

static int prepare(const char *run_dir, const struct schedgpu_setup *setup) {
  struct sg_handle h;
  struct sg_descriptor d = {0};
  start_handle(&h, run_dir);
  int rc = sg_descriptor_read(run_dir, &d);
  if (rc == SCHEDGPU_EVERSION && setup)
    rc = sg_other_layout_replace(run_dir);
  if (rc == SCHEDGPU_OK)
    rc = sg_attach_described(&h, run_dir, &d);
  if (rc == SCHEDGPU_ENOREGION || rc == SCHEDGPU_ECORRUPT) {
    start_handle(&h, run_dir);
    rc = find_or_create(&h, setup, d.created_ns);
  }
  if (rc == SCHEDGPU_OK)
    rc = repair_live_files(&h);
  sg_close(&h);
  return rc;
}

int sg_prepare(const char *run_dir, const struct schedgpu_setup *setup) {
  int fd, rc = setup ? make_run_dir(run_dir) : SCHEDGPU_OK;
  if (rc == SCHEDGPU_OK)
    rc = setup && sg_segments_removed_unused() ? SCHEDGPU_EKERNEL
                                               : sg_setup_lock(run_dir, SG_SETUP_TIMEOUT_NS, &fd);
  if (rc != SCHEDGPU_OK)
    return rc;
  rc = prepare(run_dir, setup);
  sg_setup_unlock(fd);
  return rc;
}

/** True if the region has live clients or, if it cannot be read, if any other process maps it. */
static bool in_use(const struct sg_handle *h, const struct shmid_ds *facts, bool readable) {
  if (!readable)
    return !unused(facts);
  for (uint32_t i = 0; i < sg_clients_end(h->r); i++)
    if (h->r->client[i].state == SG_ACTIVE && !sg_slot_dead(h, i))
      return true;
  return false;
}

static int remove_segment(const char *run_dir, bool force) {
  struct sg_handle h;
  struct sg_descriptor d;
  struct shmid_ds facts;
  start_handle(&h, run_dir);
  int rc = sg_descriptor_read(run_dir, &d);
  if (rc == SCHEDGPU_EOWNER || rc == SCHEDGPU_EPERM)
    return rc;
  if (rc == SCHEDGPU_OK)
    rc = sg_segment_attach(&h, d.shmid, &facts);
  if (rc == SCHEDGPU_OK)
    rc = sg_segment_identify(&d, &facts);
  if (rc != SCHEDGPU_OK) {
    sg_segment_detach(&h);
    rc = sg_segment_find(run_dir, &h, &facts);
  }
  if (rc == SCHEDGPU_OK && !force &&
      in_use(&h, &facts, sg_region_verify(h.r, h.size) == SCHEDGPU_OK))
    rc = SCHEDGPU_EINUSE;
  if (rc == SCHEDGPU_OK)
    rc = sg_segment_remove(h.shmid);
  sg_crash_point();
  sg_segment_detach(&h);
  return rc;
}

int sg_remove(const char *run_dir, bool force) {
  char path[PATH_MAX];
  int fd, rc = sg_setup_lock(run_dir, SG_SETUP_TIMEOUT_NS, &fd);
  if (rc != SCHEDGPU_OK)
    return rc;
  rc = remove_segment(run_dir, force);
  if (rc == SCHEDGPU_OK || rc == SCHEDGPU_ENOREGION) {
    sg_files_remove(run_dir);
    sg_sluid_forget_all(run_dir);
    if (sg_path(path, run_dir, SG_SETUP_LOCK_FILE) == SCHEDGPU_OK)
      /* while it is locked: a process that waits for the lock then finds another file */
      unlink(path);
  }
  sg_setup_unlock(fd);
  return rc;
}

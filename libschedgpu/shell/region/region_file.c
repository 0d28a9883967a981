/* region_file.c - opens the region of a run directory: descriptor, segment, checks. */
#include "run_dir.h"
#include "segment.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

/** Checks that the segment contains the region of the descriptor. */
static int check_region(const struct sg_handle *h, const struct sg_descriptor *d) {
  int rc = sg_region_verify(h->r, h->size);
  if (rc == SCHEDGPU_EVERSION && h->size == d->size && d->size == sizeof *h->r)
    return SCHEDGPU_ECORRUPT; /* the descriptor is of our layout, so the header is damaged */
  if (rc == SCHEDGPU_OK && h->r->h.created_ns != d->created_ns)
    return SCHEDGPU_ENOREGION; /* created again by a process that was killed before it wrote the
                                  descriptor */
  return rc;
}

int sg_attach_described(struct sg_handle *h, const char *run_dir, const struct sg_descriptor *d) {
  struct shmid_ds facts;
  *h = (struct sg_handle){.slot = SG_NONE, .dev = d->dev, .ino = d->ino};
  snprintf(h->run_dir, sizeof h->run_dir, "%s", run_dir);
  int rc = sg_segment_attach(h, d->shmid, &facts);
  if (rc != SCHEDGPU_OK)
    return rc;
  rc = sg_segment_identify(d, &facts);
  if (rc == SCHEDGPU_OK)
    rc = check_region(h, d);
  h->created_ns = d->created_ns;
  if (rc != SCHEDGPU_OK)
    sg_segment_detach(h);
  return rc;
}

int sg_open(struct sg_handle *h, const char *run_dir) {
  struct sg_descriptor d;
  *h = (struct sg_handle){.slot = SG_NONE};
  int rc = sg_descriptor_read(run_dir, &d);
  return rc == SCHEDGPU_OK ? sg_attach_described(h, run_dir, &d) : rc;
}

/** True if the segment was removed. It exists until the last process detaches. */
static bool removed(const struct sg_handle *h) {
  struct shmid_ds facts;
  return sg_segment_facts(h, &facts) ? (facts.shm_perm.mode & SHM_DEST) != 0 : errno == EIDRM;
}

bool sg_region_exists(const struct sg_handle *h) {
  char path[PATH_MAX + 8];
  struct stat st;
  struct sg_descriptor d;
  if (removed(h))
    return false;
  snprintf(path, sizeof path, "%s/" SG_REGION_FILE, h->run_dir);
  if (stat(path, &st) != 0)
    return errno != ENOENT && errno != ENOTDIR;
  if (st.st_dev == h->dev && st.st_ino == h->ino)
    return true;
  int rc = sg_descriptor_read(h->run_dir, &d);
  if (rc == SCHEDGPU_OK)
    return d.shmid == h->shmid && d.created_ns == h->created_ns;
  return rc != SCHEDGPU_ENOREGION && rc != SCHEDGPU_EVERSION;
}

int sg_reopen(struct sg_handle *h, const char *run_dir) {
  if (h->r && h->writable && strcmp(h->run_dir, run_dir) == 0 && sg_region_exists(h))
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
  sg_segment_detach(h);
  *h = (struct sg_handle){.slot = SG_NONE};
}

/*
 * checkpoint_file.c - writes and reads the file RunDir/checkpoint, which only the region's owner
 * may read.
 */
#include "check.h"
#include "run_dir.h"
#include "segment.h"
#include <sys/mman.h>
#include <unistd.h>

struct sg_checkpoint *sg_checkpoint_new(void) {
  void *p = mmap(NULL, sizeof(struct sg_checkpoint), PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return p != MAP_FAILED ? p : NULL;
}

void sg_checkpoint_free(struct sg_checkpoint *c) {
  if (c)
    munmap(c, sizeof *c);
}

struct sg_checkpoint *sg_checkpoint_load(const char *run_dir, uint64_t created_ns) {
  struct sg_checkpoint *c = sg_checkpoint_new();
  size_t size = sizeof *c;
  struct stat st;
  if (!c)
    return NULL;
  if (sg_file_read(run_dir, SG_CHECKPOINT_FILE, c, &size, &st) == SCHEDGPU_OK &&
      sg_trusted_owner(st.st_uid) &&
      sg_checkpoint_valid(c, size, created_ns ? created_ns : c->created_ns))
    return c;
  sg_checkpoint_free(c);
  return NULL;
}

int sg_checkpoint_put(const struct sg_checkpoint *c, const char *run_dir) {
  return sg_file_replace(run_dir, SG_CHECKPOINT_FILE, c, c->size, 0600, -1);
}

int sg_checkpoint_write(const struct sg_region *r, const char *run_dir) {
  struct sg_checkpoint *c = sg_checkpoint_new();
  if (!c)
    return SCHEDGPU_ESYSTEM;
  sg_checkpoint_take(r, c);
  int rc = sg_checkpoint_put(c, run_dir);
  sg_checkpoint_free(c);
  return rc;
}

bool sg_is_owner(const struct sg_handle *h) {
  struct shmid_ds facts;
  return sg_segment_facts(h, &facts) && facts.shm_perm.uid == geteuid();
}

/* checkpoint_file.c - the file RunDir/checkpoint, which only the region's owner can read. */
#include "mend.h"
#include "run_dir.h"
#include "segment.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

/** Whoever holds the lock for longer is stopped; the next one writes what we did not. */
#define PATIENCE_NS UINT64_C(500000000)

static struct sg_checkpoint *new_checkpoint(void) {
  void *p = mmap(NULL, sizeof(struct sg_checkpoint), PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return p != MAP_FAILED ? p : NULL;
}

void sg_checkpoint_free(struct sg_checkpoint *c) {
  if (c)
    munmap(c, sizeof *c);
}

struct sg_checkpoint *sg_checkpoint_load(const char *run_dir, uint64_t created_ns) {
  struct sg_checkpoint *c = new_checkpoint();
  size_t size = sizeof *c;
  struct stat st;
  if (!c)
    return NULL;
  if (sg_file_read(run_dir, SG_CHECKPOINT_FILE, c, &size, &st) == SCHEDGPU_OK &&
      sg_trusted_owner(st.st_uid) &&
      sg_checkpoint_right(c, size, created_ns ? created_ns : c->created_ns))
    return c;
  sg_checkpoint_free(c);
  return NULL;
}

static int write_file(const struct sg_checkpoint *c, const char *run_dir) {
  return sg_file_replace(run_dir, SG_CHECKPOINT_FILE, c, c->size, 0600, -1);
}

int sg_checkpoint_write(const struct sg_region *r, const char *run_dir) {
  struct sg_checkpoint *c = new_checkpoint();
  if (!c)
    return SCHEDGPU_ESYSTEM;
  sg_checkpoint_take(r, c);
  int rc = write_file(c, run_dir);
  sg_checkpoint_free(c);
  return rc;
}

bool sg_is_owner(const struct sg_handle *h) {
  struct shmid_ds facts;
  return sg_segment_facts(h, &facts) && facts.shm_perm.uid == geteuid();
}

/**
 * The setup lock first, then the picture: whoever writes last has the last picture. Of a region
 * that was replaced meanwhile nothing is written.
 */
static void save_locked(struct sg_handle *h, struct sg_checkpoint *c) {
  if (!sg_region_there(h) || sg_lock(h, INT64_C(1000000000)) != SCHEDGPU_OK)
    return;
  sg_checkpoint_take(h->r, c);
  sg_unlock(h);
  write_file(c, h->run_dir);
}

void sg_checkpoint_save(struct sg_handle *h) {
  int fd;
  struct sg_checkpoint *c = sg_is_owner(h) ? new_checkpoint() : NULL;
  if (c && sg_setup_lock(h->run_dir, PATIENCE_NS, &fd) == SCHEDGPU_OK) {
    save_locked(h, c);
    sg_setup_unlock(fd);
  }
  sg_checkpoint_free(c);
}

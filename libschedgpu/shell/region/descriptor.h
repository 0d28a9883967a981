/*
 * descriptor.h - the file RunDir/region: a few lines of text that lead to the shared memory
 * segment. It is replaced as a whole and never written in place.
 */
#ifndef SG_DESCRIPTOR_H
#define SG_DESCRIPTOR_H

#include "../shell.h"

struct sg_descriptor {
  int32_t shmid;
  uint32_t key; /**< of the segment, derived from the run directory; 0: it has none */
  uint64_t size;
  uint64_t directory;  /**< inode of the run directory: a copy in another one leads nowhere */
  uint64_t created_ns; /**< as in the region's header */
  uid_t owner;         /**< of the file */
  dev_t dev;           /**< which file it was */
  ino_t ino;
};

/**
 * ENOREGION: not there. EOWNER: of a user who is neither root nor this one. EVERSION: of another
 * version. ECORRUPT: not what we write.
 */
int sg_descriptor_read(const char *run_dir, struct sg_descriptor *d);
/** Under the setup lock. Fills in the directory. */
int sg_descriptor_write(const char *run_dir, struct sg_descriptor *d, int32_t group);

#endif

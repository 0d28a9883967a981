/*
 * descriptor.h - the file RunDir/region: a few lines of text that lead to the shared memory
 * segment. It is replaced as a whole and never written in place.
 */
#ifndef SG_DESCRIPTOR_H
#define SG_DESCRIPTOR_H

#include "../shell.h"

struct sg_descriptor {
  int32_t shmid;
  uint32_t key; /**< key of the segment, derived from the run directory; 0: none */
  uint64_t size;
  uint64_t directory;  /**< inode of the run directory: a copy in another directory is not valid */
  uint64_t created_ns; /**< creation time, as in the region's header */
  uid_t owner;         /**< owner of the file */
  dev_t dev;           /**< with ino: identity of the file */
  ino_t ino;
};

/**
 * Reads the descriptor. ENOREGION: there is none. EOWNER: it belongs to a user who is neither root
 * nor this one. EVERSION: another version. ECORRUPT: not in our format.
 */
int sg_descriptor_read(const char *run_dir, struct sg_descriptor *d);
/** Writes the descriptor, under the setup lock. Fills in the directory. */
int sg_descriptor_write(const char *run_dir, struct sg_descriptor *d, int32_t group);

#endif

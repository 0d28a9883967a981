/*
 * segment.h - the System V shared memory segment that holds the region. Its users can neither
 * truncate nor replace it, and need no descriptor for it (docs/explanation/integrity.md).
 */
#ifndef SG_SEGMENT_H
#define SG_SEGMENT_H

#include "descriptor.h"
#include <sys/ipc.h>
#include <sys/shm.h>

/** Fills `h->r`, `h->size`, `h->writable` and `*facts`. ENOREGION, EPERM, ESYSTEM. */
int sg_segment_attach(struct sg_handle *h, int shmid, struct shmid_ds *facts);
void sg_segment_detach(struct sg_handle *h);
/** What the kernel says of the attached segment; false if it says nothing. */
bool sg_segment_facts(const struct sg_handle *h, struct shmid_ds *facts);

/**
 * Whether the attached segment is the one the descriptor leads to: the kernel's facts (owner, key)
 * are asked before a byte of it is believed. ENOREGION: another one; EOWNER: somebody else's.
 */
int sg_segment_identify(const struct sg_descriptor *d, const struct shmid_ds *facts);

/** The segment of this user that was made for `run_dir`; ENOREGION if there is none. */
int sg_segment_find(const char *run_dir, struct sg_handle *h, struct shmid_ds *facts);
/** A new one of zeros, mode 0600, all of its pages there. */
int sg_segment_create(const char *run_dir, struct sg_handle *h, struct shmid_ds *facts);
/** Lets its users in: everybody, `group`, or nobody (SCHEDGPU_GROUP_NONE). */
int sg_segment_share(const struct sg_handle *h, int32_t group);
/** Removes it: nobody can attach any more, who is attached keeps the memory. */
int sg_segment_remove(int shmid);
/** True if the kernel removes segments that nobody is attached to. */
bool sg_segments_vanish(void);

#endif

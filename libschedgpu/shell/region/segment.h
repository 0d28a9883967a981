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
/** Reads what the kernel knows about the attached segment; false on failure. */
bool sg_segment_facts(const struct sg_handle *h, struct shmid_ds *facts);

/**
 * Checks that the attached segment is that of the descriptor, by the kernel's facts (owner, key)
 * and before its content is trusted. ENOREGION: another one; EOWNER: it belongs to another user.
 */
int sg_segment_identify(const struct sg_descriptor *d, const struct shmid_ds *facts);

/** Finds the segment of this user that was created for `run_dir`; ENOREGION if there is none. */
int sg_segment_find(const char *run_dir, struct sg_handle *h, struct shmid_ds *facts);
/** Creates a segment of zeros, mode 0600, with all of its pages allocated. */
int sg_segment_create(const char *run_dir, struct sg_handle *h, struct shmid_ds *facts);
/** Gives access to everyone, to `group`, or to nobody else (SCHEDGPU_GROUP_NONE). */
int sg_segment_admit(const struct sg_handle *h, int32_t group);
/** Removes the segment: no process can attach any more; attached processes keep the memory. */
int sg_segment_remove(int shmid);
/** True if the kernel removes segments to which no process is attached. */
bool sg_segments_removed_unused(void);

#endif

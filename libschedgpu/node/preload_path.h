/* preload_path.h - adds our library to LD_PRELOAD, and removes it. Knows nothing of Slurm. */
#ifndef SG_PRELOAD_PATH_H
#define SG_PRELOAD_PATH_H

#include <stddef.h>

/**
 * Writes `library` followed by the other entries of `old` (may be ""), so nested jobs do not
 * collect copies. With an empty `library`, only removes the entries with the file name of `ours`.
 * Entries are separated by colons or blanks, as in ld.so. 0, or EINVAL if `text` is too small.
 */
int sg_preload_merge(const char *library, const char *ours, const char *old, char *text,
                     size_t size);

#endif

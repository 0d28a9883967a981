/* preload_path.h - LD_PRELOAD with and without our library. Knows nothing of Slurm. */
#ifndef SG_PRELOAD_PATH_H
#define SG_PRELOAD_PATH_H

#include <stddef.h>

/**
 * Our `library` first, then what `old` (may be "") has beside it: nested jobs do not collect
 * copies. With an empty `library`, only takes the file name of `ours` out. Entries are separated by
 * colons or blanks, as ld.so does. 0, or EINVAL if `text` is too small.
 */
int sg_preload_merge(const char *library, const char *ours, const char *old, char *text,
                     size_t size);

#endif

/* python_path.h - adds our folder to PYTHONPATH, and removes it. Knows nothing of Slurm. */
#ifndef SG_PYTHON_PATH_H
#define SG_PYTHON_PATH_H

#include <stddef.h>

/**
 * Writes `folder` followed by the other entries of `old` (may be ""), so nested jobs do not collect
 * copies. With an empty `folder`, only removes ours: any entry that ends in /schedgpu/python. An
 * empty entry of the user stays, because Python takes it for the current folder. 0, or EINVAL if
 * `text` is too small.
 */
int sg_python_path_merge(const char *folder, const char *old, char *text, size_t size);

#endif

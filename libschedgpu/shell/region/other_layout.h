/*
 * other_layout.h - a region of another layout version, after an update of schedgpu: what it is, who
 * still uses it, and its end. Of what lies in it nothing is known.
 */
#ifndef SG_OTHER_LAYOUT_H
#define SG_OTHER_LAYOUT_H

#include "../shell.h"

struct sg_other_layout {
  uint32_t version;
  int32_t shmid;      /**< -1: the segment is gone, and only its file is left */
  uint64_t processes; /**< that have it mapped, or that an agent served */
};

/**
 * OK if the file RunDir/region is of another layout, and written as we would. ENOREGION: it is of
 * ours, or not there. EVERSION: of a layout of which not even that is known. EOWNER, EPERM...
 */
int sg_other_layout_find(const char *run_dir, struct sg_other_layout *other);
/** Under the setup lock: ENOREGION if it is gone, as nobody used it; else EVERSION, or why not. */
int sg_other_layout_replace(const char *run_dir);

#endif

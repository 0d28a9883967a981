/*
 * other_layout.h - a region of another layout version, after an update of schedgpu: finds it,
 * counts its users, and replaces it. Knows nothing about its content.
 */
#ifndef SG_OTHER_LAYOUT_H
#define SG_OTHER_LAYOUT_H

#include "../shell.h"

struct sg_other_layout {
  uint32_t version;
  int32_t shmid;      /**< -1: the segment is gone, only its file is left */
  uint64_t processes; /**< processes that map it, or are broker clients */
};

/**
 * OK if the file RunDir/region is of another layout, in our format. ENOREGION: it is of our layout,
 * or missing. EVERSION: its format is unknown. EOWNER, EPERM...
 */
int sg_other_layout_find(const char *run_dir, struct sg_other_layout *other);
/**
 * Call with the setup lock. ENOREGION if it was removed, because no process used it; else EVERSION,
 * or another error.
 */
int sg_other_layout_replace(const char *run_dir);

#endif

/* visible.h - the devices that a process may see, and their order in CUDA. */
#ifndef EMULATED_GPU_VISIBLE_H
#define EMULATED_GPU_VISIBLE_H

#include "state.h"

struct visible {
  unsigned count;
  unsigned device[MAX_DEVICES]; /* physical index of each ordinal */
};

/* Opens a file and closes it again: 0, or the errno of the failure. */
typedef int (*open_probe)(const char *path);
int visible_probe(const char *path);

/* The devices that a process may open, in physical order. A device is left out if its file gives
 * EPERM, the error of a device cgroup; any other result leaves it in. dev_dir may be NULL. */
void visible_permitted(const char *dev_dir, unsigned device_count, open_probe probe,
                       struct visible *permitted);

/*
 * Applies CUDA_VISIBLE_DEVICES (NULL: not set): ordinals among the permitted devices and
 * unambiguous prefixes of UUIDs, in the given order, up to the first invalid entry. A device named
 * twice makes the whole list invalid.
 */
void visible_select(const struct visible *permitted, const char *list, struct visible *selected);

#endif

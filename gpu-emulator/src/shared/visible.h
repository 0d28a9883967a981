/* Which devices a process may see, and in which order CUDA numbers them. */
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

/* The devices a process may open, in physical order. A device whose file gives EPERM, which is
 * what a device cgroup answers, is left out; any other answer leaves it in. dev_dir may be null. */
void visible_permitted(const char *dev_dir, unsigned device_count, open_probe probe,
                       struct visible *permitted);

/* What CUDA_VISIBLE_DEVICES (null: not set) makes of them: ordinals among the permitted ones and
 * unambiguous beginnings of UUIDs, in the order given, up to the first invalid entry. A device
 * named twice makes the whole list void. */
void visible_select(const struct visible *permitted, const char *list, struct visible *selected);

#endif

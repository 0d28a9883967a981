/* het_group.h - the groups of a heterogeneous job that the components of an srun are for. */
#ifndef SG_HET_GROUP_H
#define SG_HET_GROUP_H

#include <stddef.h>

/**
 * The group of component `component` of an srun, by its command line: `words`, each with a NUL at
 * its end, `size` bytes in all. Components are separated by colons; --het-group=0,1 makes two.
 */
unsigned sg_het_group(const char *words, size_t size, unsigned component);

/** The same of this process. */
unsigned sg_het_group_own(unsigned component);

#endif

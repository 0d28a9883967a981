/*
 * names.h - names of users and groups. Two ways, of which a program links one: names.c asks the C
 * library; slurm-prolog/names_getent.c asks getent(1), for the hooks, which are linked statically.
 */
#ifndef SG_NAMES_H
#define SG_NAMES_H

#include "schedgpu/conf.h"

/** SCHEDGPU_OK; EINVAL: there is no such group; ESYSTEM: nobody could be asked. */
int sg_gid_of_name(const char *name, uint32_t *gid);
/** False if the user has no name, or a longer one than fits. */
bool sg_name_of_uid(uint32_t uid, char *name, size_t size);

#endif

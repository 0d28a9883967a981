/*
 * names.h - looks up users and groups. A program links one of two implementations: names.c uses the
 * C library; slurm-prolog/names_getent.c runs getent(1), for the hooks, which are linked
 * statically.
 */
#ifndef SG_NAMES_H
#define SG_NAMES_H

#include "schedgpu/conf.h"

/** SCHEDGPU_OK; EINVAL: there is no such group; ESYSTEM: the lookup failed. */
int sg_gid_of_name(const char *name, uint32_t *gid);
/** Writes the name of the user. False if there is none, or it does not fit. */
bool sg_name_of_uid(uint32_t uid, char *name, size_t size);

#endif

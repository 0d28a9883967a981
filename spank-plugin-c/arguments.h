/* arguments.h - what plugstack.conf gives the plugin behind its path. Knows nothing of Slurm. */
#ifndef SG_ARGUMENTS_H
#define SG_ARGUMENTS_H

#include "schedgpu/conf.h"

struct sg_arguments {
  char conf_path[PATH_MAX]; /**< conf=FILE, "" = look in the default places */
};

/** Parses all arguments. 0, or EINVAL with `error` naming the first that is none. */
int sg_arguments_parse(struct sg_arguments *arguments, int count, char **values, char *error,
                       size_t error_size);

#endif

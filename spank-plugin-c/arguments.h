/*
 * arguments.h - the arguments behind the plugin's path in plugstack.conf. Knows nothing of Slurm's
 * interfaces.
 */
#ifndef SG_ARGUMENTS_H
#define SG_ARGUMENTS_H

#include "schedgpu/conf.h"

struct sg_arguments {
  char conf_path[PATH_MAX]; /**< conf=FILE; "": the default places */
};

/** Parses all arguments. SCHEDGPU_OK, or EINVAL with the first wrong argument in `error`. */
int sg_arguments_parse(struct sg_arguments *arguments, int count, char **values, char *error,
                       size_t error_size);

#endif

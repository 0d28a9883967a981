/*
 * component.h - which options a component of a step was given. One srun starts all components, and
 * Slurm passes to each of them the options that any of them was given last. So srun leaves those of
 * each component in a variable of its group, which the node reads and the tasks do not see.
 */
#ifndef SG_COMPONENT_H
#define SG_COMPONENT_H

#include "job_env.h"
#include "options_env.h"

/**
 * Leaves the options of the next component of this srun that its enclosing job does not have; if
 * this is the first component, also forgets those of an enclosing step. 0, or -1 with errno.
 */
int sg_component_leave(const struct sg_given *given, const struct sg_given *enclosing);

/**
 * Reads the options of this component: its own, and those of its job where these are known. In a
 * heterogeneous job they are not, as all steps inherit those of one component. 1 = read, 0 = there
 * are none because no such srun started the step, or EINVAL. `own`: it was given some itself.
 */
int sg_component_read(uint64_t job_id, sg_env_get get, void *context, struct sg_given *given,
                      bool *own, char *error, size_t error_size);

/** Removes the variables from the environment of a task. 0, or -1. */
int sg_component_remove(sg_env_get get, sg_env_set set, void *context);

#endif

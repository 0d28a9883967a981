/*
 * gate.h - mode `gate`: reserves the budget of the job before one of its tasks runs. Called in the
 * task's own process, as the user. Knows nothing of Slurm's interfaces.
 */
#ifndef SG_GATE_H
#define SG_GATE_H

#include "plan.h"

/**
 * Waits until the budget of job `job_id` is reserved. Returns at once if it is, or if the plan has
 * no gate. If the wait fails, the plan's fate and reason say what becomes of the task. `print`:
 * print the wait on stderr.
 */
void sg_gate_pass(const struct sg_node *node, uint64_t job_id, bool print, struct sg_plan *plan);

#endif

/*
 * gate.h - before a task of a job in mode `gate` runs, the job's budget is reserved. Called in the
 * task's own process, as the user. Knows nothing of Slurm's interfaces.
 */
#ifndef SG_GATE_H
#define SG_GATE_H

#include "plan.h"

/**
 * Waits until the budget of job `job_id` is reserved; at once if it is, or if the plan has no gate.
 * If it does not come to that, the plan's fate and reason say what becomes of the task. `speak`:
 * the wait is told on stderr.
 */
void sg_gate_pass(const struct sg_node *node, uint64_t job_id, bool speak, struct sg_plan *plan);

#endif

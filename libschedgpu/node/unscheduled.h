/*
 * unscheduled.h - what the agent wrote down about programs that ran unscheduled. The plugin and
 * `schedgpu run` print it when they end. Knows nothing of Slurm's interfaces.
 */
#ifndef SG_UNSCHEDULED_H
#define SG_UNSCHEDULED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * Reads the line for the job's stderr. False if the agent saw no such program, or no agent runs.
 * `kind` is SCHEDGPU_JOB_SLURM or SCHEDGPU_JOB_RUN. `step` is the step as its control group is
 * named
 * ("0", "batch"); "" = programs of no known step. The file is the agent's, in the run directory;
 * reading it does not wait. Thread-safe.
 */
bool sg_unscheduled_text(const char *run_dir, uint32_t kind, uint64_t job_id, const char *step,
                         char *text, size_t size);

#endif

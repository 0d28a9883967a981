/*
 * sluid.h - maps a SLUID to a Slurm job. From Slurm 26.05 on, the folder of a job under cgroup v2
 * is named by its SLUID and not by its number. The prolog knows both, and records them in
 * RUN_DIR/sluid as symbolic links: the name is the SLUID, the target the number.
 */
#ifndef SG_SLUID_H
#define SG_SLUID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Size with the terminating zero; Slurm's SLUIDs have 14 letters and digits. */
#define SG_SLUID_SIZE 32
#define SG_SLUID_DIR "sluid"

/** True for one or more letters and digits, which are safe as a file name. */
bool sg_sluid_valid(const char *text, size_t length);

/** Records a job, replacing an earlier record of that SLUID. Root only. ESYSTEM: see errno. */
int sg_sluid_record(const char *run_dir, const char *sluid, uint64_t job_id);

/** Removes the record, if there is one. Root only. */
void sg_sluid_forget(const char *run_dir, const char *sluid);

/** Removes all records and their folder. */
void sg_sluid_forget_all(const char *run_dir);

/** Finds the job of a SLUID. False if no prolog recorded it. Does not allocate memory. */
bool sg_sluid_job(const char *run_dir, const char *sluid, uint64_t *job_id);

#endif

/*
 * sluid.h - which Slurm job a control group of Slurm 26.05 and newer is of. Its folder under cgroup
 * v2 is named by the job's SLUID, not by its number; the prolog knows both and records them in
 * RUN_DIR/sluid, a link for each: its name is the SLUID, what it leads to is the number.
 */
#ifndef SG_SLUID_H
#define SG_SLUID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** With its zero; Slurm's are 14 letters and digits. */
#define SG_SLUID_SIZE 32
#define SG_SLUID_DIR "sluid"

/** Letters and digits alone, one at least: what may be a file's name. */
bool sg_sluid_valid(const char *text, size_t length);

/** Root only; ESYSTEM: see errno. What was recorded of that SLUID before is replaced. */
int sg_sluid_record(const char *run_dir, const char *sluid, uint64_t job_id);

/** Root only; nothing happens if it is not recorded. */
void sg_sluid_forget(const char *run_dir, const char *sluid);

/** All of them, and their folder. */
void sg_sluid_forget_all(const char *run_dir);

/** False if no prolog recorded it. Takes no memory of the heap. */
bool sg_sluid_job(const char *run_dir, const char *sluid, uint64_t *job_id);

#endif

/*
 * report.h - the output of the harness: one JSON object per line on stdout, for a program; progress
 * on stderr.
 */
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

#include "samples.h"

/** A name from parts, as printf. The text is valid until the fourth later call. */
const char *name_of(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** Reports a measurement: p50 and p99 of `ours` and the p50 of `limit`, in `unit` (ns, us or ms).
 * `limit_is` describes the limit. */
void report(const char *name, const char *unit, struct samples *ours, struct samples *limit,
            const char *limit_is);

/** Reports a measurement that cannot be made, with the reason. */
void report_unmeasured(const char *name, const char *unit, const char *why);

/** Reports a stage of the life cycle for one of the approaches (the paper's Figure 9). */
void report_stage(const char *approach, const char *stage, struct samples *samples);

#endif

/*
 * report.h - what the harness says: one JSON object per line on stdout for whoever collects it,
 * progress on stderr.
 */
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

#include "samples.h"

/** A name made of parts, as printf; the text is good until the fourth call after. */
const char *name_of(const char *format, ...) __attribute__((format(printf, 1, 2)));

/**
 * A measurement: p50 and p99 of `ours` and the p50 of `limit`, in `unit` (ns, us or ms).
 * `limit_is` says what the limit does.
 */
void report(const char *name, const char *unit, struct samples *ours, struct samples *limit,
            const char *limit_is);

/** A measurement that cannot be made, and why. */
void report_unmeasured(const char *name, const char *unit, const char *why);

/** A stage of the life cycle under one of the approaches (the paper's Figure 9). */
void report_stage(const char *approach, const char *stage, struct samples *samples);

#endif

/*
 * crash.h - a process of a test ends, or stops, at a chosen store of the library. For programs that
 * are linked with crash.c and the objects of SG_CRASH_POINTS. A plan belongs to the process that
 * made it and is carried out once, so a process that is continued runs on.
 */
#ifndef SG_TEST_CRASH_H
#define SG_TEST_CRASH_H

#include <signal.h>
#include <stdbool.h>

/** At the store-th store from now on; 0: never. */
void crash_at_store(long store, int signal);
/** At the first store after which this holds. */
void crash_when(bool (*reached)(void), int signal);
void crash_never(void);

#endif

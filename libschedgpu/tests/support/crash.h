/*
 * crash.h - ends or stops a process of a test at a chosen store of the library. For programs that
 * are linked with crash.c and the objects of SG_CRASH_POINTS. A plan belongs to the process that
 * made it and acts once, so a continued process runs on.
 */
#ifndef SG_TEST_CRASH_H
#define SG_TEST_CRASH_H

#include <signal.h>
#include <stdbool.h>

/** Acts at the store-th store from now on; 0: never. */
void crash_at_store(long store, int signal);
/** Acts at the first store after which `reached` is true. */
void crash_when(bool (*reached)(void), int signal);
void crash_never(void);

#endif

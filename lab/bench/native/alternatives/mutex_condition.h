/* mutex_condition.h - gives the test of an abandoned mutex access to the shared memory. */
#ifndef BENCH_MUTEX_CONDITION_H
#define BENCH_MUTEX_CONDITION_H

#include "paper_client.h"

/** The mapping of the process that set the approach up. */
const struct paper_shared *mutex_condition_shared(void);

#endif

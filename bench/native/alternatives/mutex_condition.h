/* mutex_condition.h - what the method with a mutex shares, for the test of its abandonment. */
#ifndef BENCH_MUTEX_CONDITION_H
#define BENCH_MUTEX_CONDITION_H

#include "paper_client.h"

/** As mapped by who set the approach up. */
const struct paper_shared *mutex_condition_shared(void);

#endif

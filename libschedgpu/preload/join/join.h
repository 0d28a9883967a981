/*
 * join.h - which job this process belongs to, if any, and becoming a client of it.
 */
#ifndef SGP_JOIN_H
#define SGP_JOIN_H

#include <stdbool.h>

/**
 * Attaches. False: there is nothing to schedule. Otherwise `*error` is the client API's result.
 * One thread at a time.
 */
bool sgp_join(int *error);

#endif

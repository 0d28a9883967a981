/* join.h - finds the job of this process, if any, and makes the process its client. */
#ifndef SGP_JOIN_H
#define SGP_JOIN_H

#include <stdbool.h>

/**
 * Attaches. False: nothing is to be scheduled. Otherwise `*error` is the result of the client API.
 * One thread at a time.
 */
bool sgp_join(int *error);

#endif

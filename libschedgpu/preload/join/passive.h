/*
 * passive.h - tells whether other code in this process does the accounting already. Two would
 * charge every byte twice.
 */
#ifndef SGP_PASSIVE_H
#define SGP_PASSIVE_H

#include <stdbool.h>

/** True if this library must only pass calls on. */
bool sgp_is_passive(void);

#endif

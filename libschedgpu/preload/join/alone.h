/*
 * alone.h - tells whether other code in this process does the accounting already. Two would charge
 * every byte twice.
 */
#ifndef SGP_ALONE_H
#define SGP_ALONE_H

#include <stdbool.h>

/** True if this library must only pass calls on. */
bool sgp_others_count(void);

#endif

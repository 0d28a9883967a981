/* refusal.h - what an error of the API means for a CUDA program, and in which words it is told. */
#ifndef SGP_REFUSAL_H
#define SGP_REFUSAL_H

#include "schedule.h"

#define SGP_SIZE_BYTES 24 /* a size as text, such as "6.0 GiB" */

/** The action after a request, with a message if it was refused. `asked`: what for, as text. */
struct sgp_verdict sgp_verdict_of(int error, int device, const char *asked);

/** The message for a request beyond the budget that failed on purpose, for a retry that never came.
 */
void sgp_say_not_asked_again(int device, uint64_t bytes);

#endif

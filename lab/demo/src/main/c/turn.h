/*
 * turn.h - marks the iterations of this process on device 0. The functions are those of the preload
 * library, because that one does the accounting: a program that is linked with libschedgpu turns it
 * off. Without the preload library there are no turns, and all of this succeeds. Not thread-safe.
 */
#ifndef DEMO_TURN_H
#define DEMO_TURN_H

#include <stdbool.h>

/** Finds the functions. False, with a message, in a lane job whose preload library has none. */
bool turn_find(void);

/** Waits for the turn, without a limit. False, with a message, if there is none to be had. */
bool turn_begin(void);

/**
 * Ends the iteration, whose kernels must have ended. False, with a message, on an error; that the
 * turn was kept (EKEPT) is one, because a training of the demo frees all its ephemeral memory.
 */
bool turn_end(void);

#endif

/*
 * account.h - the device memory of each process. Call all functions with the state locked. Sizes
 * are bytes.
 */
#ifndef EMULATED_GPU_ACCOUNT_H
#define EMULATED_GPU_ACCOUNT_H

#include "state.h"

/* The memory of all processes, contexts included. */
uint64_t account_used(const struct shared_state *state, unsigned device);

/* The memory of one process, contexts and its shareable memory included. */
uint64_t account_used_by(const struct shared_state *state, unsigned device, unsigned slot);

/* True if the device has so much left, if necessary after a scan for dead processes. */
int account_fits(struct shared_state *state, unsigned device, uint64_t bytes);

/* Charges memory to a process. -1 if the device has too little left. */
int account_take(struct shared_state *state, unsigned device, unsigned slot, uint64_t bytes);
void account_give(struct shared_state *state, unsigned device, unsigned slot, uint64_t bytes);

/* Charges the overhead of a context. */
int account_take_context(struct shared_state *state, unsigned device, unsigned slot);
void account_give_context(struct shared_state *state, unsigned device, unsigned slot);

#endif

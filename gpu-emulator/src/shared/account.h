/* Device memory: who has how much. All functions: with the state locked; sizes in bytes. */
#ifndef EMULATED_GPU_ACCOUNT_H
#define EMULATED_GPU_ACCOUNT_H

#include "state.h"

/* What all processes have, overhead of contexts included. */
uint64_t account_used(const struct shared_state *state, unsigned device);

/* What one process has, overhead included. */
uint64_t account_used_by(const struct shared_state *state, unsigned device, unsigned slot);

/* Charges memory to a process. -1 when the device has not that much left. */
int account_take(struct shared_state *state, unsigned device, unsigned slot, uint64_t bytes);
void account_give(struct shared_state *state, unsigned device, unsigned slot, uint64_t bytes);

/* The same for the overhead of a context. */
int account_take_context(struct shared_state *state, unsigned device, unsigned slot);
void account_give_context(struct shared_state *state, unsigned device, unsigned slot);

#endif

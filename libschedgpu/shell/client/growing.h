/*
 * growing.h - what the preload library needs beyond schedgpu.h for programs that cache memory
 * (preload/account/first_try.c).
 */
#ifndef SG_GROWING_H
#define SG_GROWING_H

#include <stdbool.h>
#include <stdint.h>

/**
 * True if `bytes` more would make the job's growable budget grow; `*use_bytes` then has what the
 * job would use. Asks the agent, if there is one, only where the process has not leased so much.
 */
bool sg_budget_would_grow(int device, uint64_t bytes, uint64_t *use_bytes);

/**
 * As schedgpu_reserve() with the job's wait; as schedgpu_try_reserve() if `tries` says so, which is
 * asked only if the budget that is held does not suffice. `*tried`: which of them it was.
 */
int sg_reserve_or_try(int device, uint64_t bytes, bool (*tries)(int device), bool *tried);

/**
 * Counts a refused allocation of so many bytes, as schedgpu_reserve() counts it: one that
 * schedgpu_try_reserve() refused, and that is not asked for again.
 */
void sg_count_refusal(uint64_t bytes);

#endif

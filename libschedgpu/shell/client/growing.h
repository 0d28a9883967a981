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

/** How memory is asked for that the process has not leased. */
enum sg_asking {
  SG_ASK_AND_WAIT, /**< as schedgpu_reserve() with the job's wait */
  SG_ASK_ONCE,     /**< as schedgpu_try_reserve() */
  SG_ASK_NOT       /**< SCHEDGPU_EBUDGET */
};

/**
 * Takes memory that the process has leased, or asks for it as `asking` says, which is called only
 * if the lease does not suffice. `*waited`: it was SG_ASK_AND_WAIT.
 */
int sg_reserve_as(int device, uint64_t bytes, enum sg_asking (*asking)(int device, uint64_t bytes),
                  bool *waited);

/**
 * Counts a refused allocation of so many bytes, as schedgpu_reserve() counts it: one that
 * schedgpu_try_reserve() refused, and that is not asked for again.
 */
void sg_count_refusal(uint64_t bytes);

#endif

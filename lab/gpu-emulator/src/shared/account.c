/* account.c - see account.h. */
#include "account.h"
#include "shareable.h"

static uint64_t not_shareable(const struct shared_state *state, unsigned device, unsigned slot) {
  return state->allocated_bytes[device][slot] + state->overhead_bytes[device][slot];
}

uint64_t account_used_by(const struct shared_state *state, unsigned device, unsigned slot) {
  return not_shareable(state, device, slot) + shareable_bytes_of(state, device, slot);
}

uint64_t account_used(const struct shared_state *state, unsigned device) {
  uint64_t sum = shareable_bytes(state, device);
  for (unsigned slot = 0; slot < state->owners_high; slot++)
    sum += not_shareable(state, device, slot);
  return sum;
}

static int fits_now(const struct shared_state *state, unsigned device, uint64_t bytes) {
  uint64_t used = account_used(state, device);
  return bytes <= state->memory_bytes && used <= state->memory_bytes - bytes;
}

int account_fits(struct shared_state *state, unsigned device, uint64_t bytes) {
  if (!fits_now(state, device, bytes))
    state_reap(state); /* a scan for dead processes is expensive, so only if memory is missing */
  return fits_now(state, device, bytes);
}

static int take(struct shared_state *state, unsigned device, uint64_t bytes, uint64_t *from) {
  if (!account_fits(state, device, bytes))
    return -1;
  *from += bytes;
  return 0;
}

static void give(uint64_t bytes, uint64_t *to) {
  *to -= bytes < *to ? bytes : *to;
}

int account_take(struct shared_state *state, unsigned device, unsigned slot, uint64_t bytes) {
  return take(state, device, bytes, &state->allocated_bytes[device][slot]);
}

void account_give(struct shared_state *state, unsigned device, unsigned slot, uint64_t bytes) {
  give(bytes, &state->allocated_bytes[device][slot]);
}

int account_take_context(struct shared_state *state, unsigned device, unsigned slot) {
  return take(state, device, state->context_bytes, &state->overhead_bytes[device][slot]);
}

void account_give_context(struct shared_state *state, unsigned device, unsigned slot) {
  give(state->context_bytes, &state->overhead_bytes[device][slot]);
}

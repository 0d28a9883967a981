/*
 * ledger.h - what this process holds: maps an address or array to its bytes and device.
 * Thread-safe. Its memory comes from mmap, so that the program's malloc is never called.
 */
#ifndef SGP_LEDGER_H
#define SGP_LEDGER_H

#include <stdbool.h>
#include <stdint.h>

enum sgp_kind {
  SGP_ADDRESS = 1,   /**< device addresses */
  SGP_ARRAY = 2,     /**< arrays: a separate number space */
  SGP_MIPMAPPED = 3, /**< mipmapped arrays */
  SGP_LIMIT = 9,     /**< a limit of a context: the id of the context and which limit */
  SGP_POOLED = 10,   /**< device addresses of a pool, whose id stands for the context's */
};

struct sgp_entry {
  uint64_t key; /**< not 0 */
  uint64_t bytes;
  uint32_t context; /**< id of the context that owns the memory, 0 = none (pools) */
  int16_t device;   /**< ordinal */
  uint16_t kind;
};

/**
 * Records `entry`. True if there was an entry of that key and kind, which `*stale` gets: its memory
 * was freed without a hook.
 */
bool sgp_ledger_put(const struct sgp_entry *entry, struct sgp_entry *stale);

/** Removes the entry of `key`. False if there is none. */
bool sgp_ledger_take(enum sgp_kind kind, uint64_t key, struct sgp_entry *entry);

/** The position of a walk over the ledger; starts as {0}. */
struct sgp_cursor {
  uint32_t shard;
  uint64_t slot;
};
/**
 * Removes the next entry owned by `context` (not 0). False at the end of the walk. A walk may miss
 * entries that other threads add or move meanwhile: repeat it until it finds none.
 */
bool sgp_ledger_take_of_context(uint32_t context, struct sgp_cursor *cursor,
                                struct sgp_entry *entry);

/** In a forked child: forgets everything, as the child holds nothing. */
void sgp_ledger_after_fork(void);

#endif

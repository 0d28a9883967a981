/*
 * ledger.c - a hash table with open addressing and linear probing, in shards. Removing an entry
 * shifts its followers back, so there are no tombstones and a table never fills up by churn.
 */
#include "ledger.h"
#include "latch.h"
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#define SHARDS 16u
#define FIRST_CAPACITY 32u

struct shard {
  _Alignas(64) sgp_latch latch;
  struct sgp_entry *slot;
  uint64_t capacity; /* a power of two, or 0 */
  uint64_t count;
};
static struct shard shards[SHARDS];
/* Together, so that they fit into the first-level cache; separate pages would compete there. */
static struct sgp_entry first[SHARDS][FIRST_CAPACITY];

static uint64_t hash(enum sgp_kind kind, uint64_t key) {
  uint64_t h = (key ^ (uint64_t)kind << 60) * UINT64_C(0x9E3779B97F4A7C15);
  return h ^ h >> 29;
}

static struct shard *shard_of(uint64_t h) {
  return &shards[h >> 60 & (SHARDS - 1)];
}

/* Member by member: a vector load of recently stored parts waits for these stores. */
static inline void copy(struct sgp_entry *to, const struct sgp_entry *from) {
  to->key = from->key;
  to->bytes = from->bytes;
  to->context = from->context;
  to->device = from->device;
  to->kind = from->kind;
}

static inline bool is(const struct sgp_entry *slot, enum sgp_kind kind, uint64_t key) {
  return slot->key == key && slot->kind == kind;
}

__attribute__((noinline)) static struct sgp_entry *probe(const struct shard *s, uint64_t i,
                                                         enum sgp_kind kind, uint64_t key) {
  while (s->slot[i].key && !is(&s->slot[i], kind, key))
    i = (i + 1) & (s->capacity - 1);
  return &s->slot[i];
}

/* The entry of the key, or the free slot for it. The table always has free slots. */
static inline struct sgp_entry *find(const struct shard *s, uint64_t h, enum sgp_kind kind,
                                     uint64_t key) {
  uint64_t i = h & (s->capacity - 1);
  struct sgp_entry *home = &s->slot[i];
  return home->key == 0 || is(home, kind, key) ? home : probe(s, i, kind, key);
}

__attribute__((noinline, cold)) static bool grow(struct shard *s) {
  struct shard bigger = *s;
  if (s->capacity == 0) {
    s->slot = first[s - shards];
    s->capacity = FIRST_CAPACITY;
    return true;
  }
  bigger.capacity = s->capacity * 2;
  void *memory = mmap(NULL, bigger.capacity * sizeof *s->slot, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return false;
  bigger.slot = memory;
  for (uint64_t i = 0; i < s->capacity; i++) {
    const struct sgp_entry *e = &s->slot[i];
    if (e->key)
      *find(&bigger, hash(e->kind, e->key), e->kind, e->key) = *e;
  }
  if (s->capacity > FIRST_CAPACITY)
    munmap(s->slot, s->capacity * sizeof *s->slot);
  s->slot = bigger.slot;
  s->capacity = bigger.capacity;
  return true;
}

__attribute__((noinline)) static void close_gap(struct shard *s, uint64_t hole) {
  uint64_t mask = s->capacity - 1;
  for (uint64_t i = (hole + 1) & mask; s->slot[i].key; i = (i + 1) & mask) {
    uint64_t home = hash(s->slot[i].kind, s->slot[i].key) & mask;
    /* True if the entry may move, because its home is not between the hole and itself. */
    if (((i - home) & mask) >= ((i - hole) & mask)) {
      copy(&s->slot[hole], &s->slot[i]);
      hole = i;
    }
  }
  s->slot[hole].key = 0;
}

static inline void remove_slot(struct shard *s, struct sgp_entry *slot) {
  uint64_t i = (uint64_t)(slot - s->slot);
  s->count--;
  if (s->slot[(i + 1) & (s->capacity - 1)].key == 0)
    slot->key = 0;
  else
    close_gap(s, i);
}

bool sgp_ledger_put(const struct sgp_entry *entry, struct sgp_entry *stale) {
  uint64_t h = hash(entry->kind, entry->key);
  struct shard *s = shard_of(h);
  bool replaced = false;
  sgp_latch_take(&s->latch);
  /* Without memory for its record it stays charged until the process ends: never too little. */
  if (s->count * 2 < s->capacity || grow(s)) {
    struct sgp_entry *slot = find(s, h, entry->kind, entry->key);
    replaced = slot->key != 0;
    if (replaced)
      copy(stale, slot);
    else
      s->count++;
    copy(slot, entry);
  }
  sgp_latch_give(&s->latch);
  return replaced;
}

bool sgp_ledger_take(enum sgp_kind kind, uint64_t key, struct sgp_entry *entry) {
  uint64_t h = hash(kind, key);
  struct shard *s = shard_of(h);
  bool found = false;
  sgp_latch_take(&s->latch);
  if (s->count && key) {
    struct sgp_entry *slot = find(s, h, kind, key);
    found = slot->key != 0;
    if (found) {
      copy(entry, slot);
      remove_slot(s, slot);
    }
  }
  sgp_latch_give(&s->latch);
  return found;
}

/* Removing moves only later slots back to `*slot`, which is therefore checked again. */
static bool take_from_shard(struct shard *s, uint32_t context, uint64_t *slot,
                            struct sgp_entry *entry) {
  bool found = false;
  sgp_latch_take(&s->latch);
  for (; *slot < s->capacity; ++*slot) {
    found = s->slot[*slot].key && s->slot[*slot].context == context;
    if (!found)
      continue;
    *entry = s->slot[*slot];
    remove_slot(s, &s->slot[*slot]);
    break;
  }
  sgp_latch_give(&s->latch);
  return found;
}

bool sgp_ledger_take_of_context(uint32_t context, struct sgp_cursor *cursor,
                                struct sgp_entry *entry) {
  for (; cursor->shard < SHARDS; cursor->shard++, cursor->slot = 0)
    if (take_from_shard(&shards[cursor->shard], context, &cursor->slot, entry))
      return true;
  return false;
}

/*
 * A thread of the parent may have been inside at the fork. No table can be trusted, so the memory
 * is abandoned, not unmapped.
 */
void sgp_ledger_after_fork(void) {
  for (uint32_t i = 0; i < SHARDS; i++)
    shards[i] = (struct shard){0};
  memset(first, 0, sizeof first);
}

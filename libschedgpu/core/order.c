/* order.c - see order.h. */
#include "order.h"
#include "need.h"

#define PRIORITIES 101
#define PLACE_BITS 11 /* of a position among the waiters: SG_SLOTS positions */
_Static_assert(SG_SLOTS <= 1u << PLACE_BITS, "a position among the waiters has too few bits");

static uint32_t rank_of(const struct sg_region *r, uint32_t waiter) {
  int32_t priority = r->waiter[waiter].priority;
  return priority < 0 ? 0 : priority >= PRIORITIES ? PRIORITIES - 1 : (uint32_t)priority;
}

void sg_oldest_first(const struct sg_region *r, const uint16_t *waiters, uint32_t count,
                     uint16_t *order) {
  (void)r;
  for (uint32_t i = 0; i < count; i++)
    order[i] = waiters[i];
}

/** Counting sort: of equal waiters the oldest stays first. */
void sg_highest_priority_first(const struct sg_region *r, const uint16_t *waiters, uint32_t count,
                               uint16_t *order) {
  uint32_t start[PRIORITIES] = {0}, total = 0;
  for (uint32_t i = 0; i < count; i++)
    start[rank_of(r, waiters[i])]++;
  for (uint32_t p = PRIORITIES; p-- > 0;) {
    uint32_t n = start[p];
    start[p] = total;
    total += n;
  }
  for (uint32_t i = 0; i < count; i++)
    order[start[rank_of(r, waiters[i])]++ % SG_SLOTS] = waiters[i];
}

/** Shell's sort with the gaps of Ciura: in place, because threads may have small stacks. */
static void sort(uint64_t *keys, uint32_t count) {
  static const uint32_t gaps[] = {701, 301, 132, 57, 23, 10, 4, 1};
  for (uint32_t g = 0; g < sizeof gaps / sizeof *gaps; g++)
    for (uint32_t i = gaps[g]; i < count; i++) {
      uint64_t key = keys[i];
      uint32_t to = i;
      for (; to >= gaps[g] && keys[to - gaps[g]] > key; to -= gaps[g])
        keys[to] = keys[to - gaps[g]];
      keys[to] = key;
    }
}

/** Sorts by `key_of`, which returns less than 2^53; of equal waiters the oldest is first. */
static void lowest_key_first(const struct sg_region *r, const uint16_t *waiters, uint32_t count,
                             uint64_t (*key_of)(const struct sg_region *r, uint32_t waiter),
                             uint16_t *order) {
  uint64_t keys[SG_SLOTS];
  for (uint32_t i = 0; i < count; i++)
    keys[i] = key_of(r, waiters[i]) << PLACE_BITS | i;
  sort(keys, count);
  for (uint32_t i = 0; i < count; i++)
    order[i] = waiters[keys[i] % (1u << PLACE_BITS) % SG_SLOTS];
}

#define SIZE_BITS 37 /* of 16 devices with 2^32 - 1 units each */

static uint64_t size_of(const struct sg_region *r, uint32_t waiter) {
  uint64_t units = sg_request_size(r, &r->waiter[waiter]) / SG_UNIT_BYTES;
  const uint64_t most = (UINT64_C(1) << SIZE_BITS) - 1;
  return units < most ? units : most;
}

static uint64_t by_priority_and_size(const struct sg_region *r, uint32_t waiter) {
  return (uint64_t)(PRIORITIES - rank_of(r, waiter)) << SIZE_BITS | size_of(r, waiter);
}

void sg_smallest_of_priority_first(const struct sg_region *r, const uint16_t *waiters,
                                   uint32_t count, uint16_t *order) {
  lowest_key_first(r, waiters, count, by_priority_and_size, order);
}

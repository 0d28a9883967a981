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

/** The highest priority is the lowest key. */
static uint64_t by_priority(const struct sg_region *r, uint32_t waiter) {
  return PRIORITIES - rank_of(r, waiter);
}

static uint64_t by_priority_and_size(const struct sg_region *r, uint32_t waiter) {
  return by_priority(r, waiter) << SIZE_BITS | size_of(r, waiter);
}

void sg_smallest_of_priority_first(const struct sg_region *r, const uint16_t *waiters,
                                   uint32_t count, uint16_t *order) {
  lowest_key_first(r, waiters, count, by_priority_and_size, order);
}

#define SUM_OF_PRIORITIES 150u /* low, normal and high: 10, 50 and 90 */
#define RANK_BITS 7
#define MAX_CYCLES (UINT64_C(1) << 40)
#define NOT_READY (UINT64_C(1) << 52) /* above all other keys */

/** RO: the number of cycles in which the request reserves all of its bytes. */
static uint64_t cycles_to_reserve(const struct sg_region *r, uint32_t waiter) {
  uint32_t rank = rank_of(r, waiter), priority = rank != 0 ? rank : 1;
  return (SUM_OF_PRIORITIES + priority - 1) / priority;
}

/** The number of the cycle in which the ticket was issued. */
static uint64_t cycle_of(const struct sg_region *r, uint64_t ticket) {
  uint32_t devices = sg_bound(sg_read_once(&r->h.device_count), SCHEDGPU_MAX_DEVICES);
  return devices != 0 ? ticket / devices : ticket;
}

static uint64_t cycles_waited(const struct sg_region *r, uint32_t waiter) {
  uint64_t now = cycle_of(r, r->h.ticket), then = cycle_of(r, r->waiter[waiter].ticket);
  uint64_t cycles = now > then ? now - then : 0;
  return cycles < MAX_CYCLES ? cycles : MAX_CYCLES;
}

static bool is_ready(const struct sg_region *r, uint32_t waiter) {
  return cycles_waited(r, waiter) >= cycles_to_reserve(r, waiter);
}

/** The cycle in which the request is ready, counted from an earlier cycle; then its priority. */
static uint64_t by_readiness(const struct sg_region *r, uint32_t waiter) {
  uint64_t cycle = MAX_CYCLES - cycles_waited(r, waiter) + cycles_to_reserve(r, waiter);
  return cycle << RANK_BITS | by_priority(r, waiter);
}

static uint64_t ready_by_priority(const struct sg_region *r, uint32_t waiter) {
  return is_ready(r, waiter) ? by_priority(r, waiter) : NOT_READY | by_readiness(r, waiter);
}

static uint64_t ready_by_size(const struct sg_region *r, uint32_t waiter) {
  return is_ready(r, waiter) ? by_priority_and_size(r, waiter)
                             : NOT_READY | by_readiness(r, waiter);
}

void sg_first_ready_first(const struct sg_region *r, const uint16_t *waiters, uint32_t count,
                          uint16_t *order) {
  lowest_key_first(r, waiters, count, by_readiness, order);
}

void sg_highest_of_ready_first(const struct sg_region *r, const uint16_t *waiters, uint32_t count,
                               uint16_t *order) {
  lowest_key_first(r, waiters, count, ready_by_priority, order);
}

void sg_smallest_of_ready_first(const struct sg_region *r, const uint16_t *waiters, uint32_t count,
                                uint16_t *order) {
  lowest_key_first(r, waiters, count, ready_by_size, order);
}

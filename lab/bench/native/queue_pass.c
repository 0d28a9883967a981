/*
 * queue_pass.c - what the holder of the lock does for the waiters, on a region in ordinary memory:
 * a pass that can serve no waiter, and a release after which all can be served.
 */
#include "bench.h"
#include "support/bench_node.h"
#include "support/clock.h"
#include "support/compare.h"
#include "support/cpus.h"
#include "support/report.h"

#define HOLDER SCHEDGPU_MAX_CLIENTS /* the slot after those of the waiters */
#define PROCESSES_PER_JOB 4
#define REQUEST (8 * MIB)
#define LEFT_FREE (4 * MIB)
#define HELD (10 * GIB - LEFT_FREE)
#define SAMPLES 2000
#define TIME_NS (250 * NS_PER_MS)

static const uint32_t queue_lengths[] = {1, 16, 256, SCHEDGPU_MAX_CLIENTS};
static const int32_t priorities[] = {10, 50, 90};

struct queue {
  struct sg_region *region;
  struct sg_region *saved; /**< a copy from before the pass, to restore what was served */
  uint32_t length;
};

static void join_waiters(struct sg_region *r, uint32_t count) {
  for (uint32_t slot = 0; slot < count; slot++) {
    uint32_t job = slot / PROCESSES_PER_JOB;
    if (slot % PROCESSES_PER_JOB == 0)
      join(r, slot, SCHEDGPU_MODE_ONDEMAND, 0, priorities[job % 3]);
    else
      add_process(r, slot, slot - slot % PROCESSES_PER_JOB);
  }
}

static void ask(struct sg_region *r, uint32_t slot, uint64_t bytes, int expected) {
  struct sg_wakes wakes;
  uint32_t waiter;
  struct sg_request request = {
      .client = slot, .device = 0, .bytes = bytes, .may_wait = true, .deadline_ns = SG_NO_DEADLINE};
  wakes.count = 0;
  MUST(sg_ask(r, &request, 1, &waiter, &wakes) == expected);
}

static struct sg_region *copy_of(const struct sg_region *r) {
  struct sg_region *copy = aligned_alloc(64, (sizeof *copy + 63) / 64 * 64);
  MUST(copy);
  memcpy(copy, r, sizeof *copy);
  return copy;
}

static struct queue queue_new(uint32_t policy, uint32_t length) {
  struct queue q = {.region = fixture_new(1, 0, policy), .length = length};
  join_waiters(q.region, length);
  join(q.region, HOLDER, SCHEDGPU_MODE_ONDEMAND, 0, 50);
  ask(q.region, HOLDER, HELD, SCHEDGPU_OK);
  for (uint32_t slot = 0; slot < length; slot++)
    ask(q.region, slot, REQUEST, SCHEDGPU_EWOULDBLOCK);
  q.saved = copy_of(q.region);
  return q;
}

static void queue_free(struct queue *q) {
  free(q->saved);
  free(q->region);
}

static void pass_in_vain(void *queue) {
  struct queue *q = queue;
  struct sg_wakes wakes;
  wakes.count = 0;
  sg_serve(q->region, 1, &wakes);
  MUST(wakes.count == 0);
}

static void read_each(void *queue) {
  const struct queue *q = queue;
  uint32_t waiting = 0;
  for (uint32_t i = 0; i < q->length; i++)
    waiting +=
        atomic_load_explicit(&q->region->waiter[i].state, memory_order_relaxed) == SG_WAITING;
  MUST(waiting == q->length);
}

static void release_for_all(void *queue) {
  struct queue *q = queue;
  struct sg_wakes wakes;
  wakes.count = 0;
  MUST(sg_give_back(q->region, HOLDER, 0, HELD, 1, &wakes) == SCHEDGPU_OK);
  MUST(wakes.count == q->length);
}

static void put_back(void *queue) {
  struct queue *q = queue;
  memcpy(q->region, q->saved, sizeof *q->region);
}

static void store_each(void *queue) {
  struct queue *q = queue;
  for (uint32_t i = 0; i < q->length; i++)
    atomic_store(&q->saved->waiter[i].state, SG_WAITING);
}

static void measure_pass(struct queue *q, const char *policy) {
  struct samples ours, limit;
  compare(&(struct comparison){.ours = pass_in_vain,
                               .limit = read_each,
                               .argument = q,
                               .batch = 8,
                               .samples = sample_count(SAMPLES),
                               .time_ns = time_limit_ns(TIME_NS)},
          &ours, &limit);
  report(name_of("queue-pass-%s-%u", policy, q->length), "us", &ours, &limit,
         "a read of each waiter's state");
  samples_free(&ours);
  samples_free(&limit);
}

static void measure_grants(struct queue *q, const char *policy) {
  struct samples ours, limit;
  compare(&(struct comparison){.ours = release_for_all,
                               .limit = store_each,
                               .argument = q,
                               .before_ours = put_back,
                               .batch = 1,
                               .divisor = q->length,
                               .samples = sample_count(SAMPLES),
                               .time_ns = time_limit_ns(TIME_NS)},
          &ours, &limit);
  report(name_of("queue-grant-%s-%u", policy, q->length), "ns", &ours, &limit,
         "one store into the waiter's state");
  samples_free(&ours);
  samples_free(&limit);
}

void measure_queue_pass(void) {
  const char *policy;
  pin_last();
  for (uint32_t p = 0; (policy = schedgpu_policy_name(p)); p++)
    for (size_t i = 0; i < sizeof queue_lengths / sizeof *queue_lengths; i++) {
      struct queue q = queue_new(p, queue_lengths[i]);
      measure_pass(&q, policy);
      measure_grants(&q, policy);
      queue_free(&q);
    }
}

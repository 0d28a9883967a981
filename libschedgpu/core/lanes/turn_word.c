/*
 * turn_word.c - whose turn it is. See lanes.h.
 *
 * lane.turn is one word: whose turn it is, and whether that process is in an iteration (busy). Only
 * the process itself changes the bit, without the lock; only under the lock does another process
 * get the turn, by one compare-and-swap from an idle turn. A waiter counts itself in lane.waiting
 * before it reads the word; the holder clears the bit before it reads the count: one of the two
 * sees the other.
 */
#include "lanes.h"

void sg_note_marked(struct sg_region *r, uint32_t job) {
  if (r->job[job].marked == 0)
    SG_PUT(r->job[job].marked, 1);
}

static uint64_t word_of(uint32_t slot) {
  return (uint64_t)slot + 1;
}

uint32_t sg_lane_of(const struct sg_region *r, uint32_t slot) {
  const struct sg_client *c = &r->client[slot];
  uint32_t job = c->state == SG_ACTIVE ? sg_client_job(r, c) : SG_NONE;
  return job == SG_NONE ? SG_NONE : sg_job_lane(r, job);
}

uint32_t sg_turn_holder(const struct sg_region *r, uint32_t lane) {
  uint64_t slot = (uint32_t)atomic_load(&r->lane[lane].turn);
  bool valid = slot >= 1 && slot <= SG_SLOTS && sg_lane_of(r, (uint32_t)slot - 1) == lane;
  return valid ? (uint32_t)slot - 1 : SG_NONE;
}

bool sg_job_has_turn(const struct sg_region *r, uint32_t job) {
  uint32_t lane = sg_job_lane(r, job), holder = lane == SG_NONE ? SG_NONE : sg_turn_holder(r, lane);
  return holder != SG_NONE && sg_client_job(r, &r->client[holder]) == job;
}

bool sg_turn_is_busy(const struct sg_region *r, uint32_t slot) {
  uint32_t lane = sg_lane_of(r, slot);
  return lane != SG_NONE && atomic_load(&r->lane[lane].turn) == (word_of(slot) | SG_TURN_BUSY);
}

bool sg_turn_in_use(const struct sg_region *r, uint32_t slot) {
  bool maps = sg_lane_of(r, slot) != SG_NONE && r->turn[slot].lane_bytes != 0;
  return maps || r->turn[slot].state != SG_WAITER_FREE || sg_turn_is_busy(r, slot);
}

bool sg_turn_begin_alone(struct sg_lane *lane, uint32_t slot, uint64_t now_ns) {
  uint64_t word = word_of(slot);
  if (atomic_compare_exchange_strong(&lane->turn, &word, word | SG_TURN_BUSY)) {
    atomic_store_explicit(&lane->begun_ns, now_ns, memory_order_relaxed);
    return true;
  }
  return word == (word_of(slot) | SG_TURN_BUSY);
}

bool sg_turn_end_alone(struct sg_lane *lane, uint32_t slot, uint64_t now_ns) {
  uint64_t busy = word_of(slot) | SG_TURN_BUSY, begun_ns = atomic_load(&lane->begun_ns);
  if (atomic_load(&lane->turn) == busy) {
    uint64_t took_ns = now_ns > begun_ns ? now_ns - begun_ns : 0;
    atomic_fetch_add_explicit(&lane->busy_ns, took_ns, memory_order_relaxed);
    atomic_store_explicit(&lane->idle_since_ns, now_ns, memory_order_relaxed);
    atomic_compare_exchange_strong(&lane->turn, &busy, word_of(slot));
  }
  return atomic_load(&lane->waiting) == 0;
}

void sg_turn_told(struct sg_lane *lane, uint64_t ended_ns, uint64_t since_ns, uint64_t now_ns) {
  uint64_t from_ns = atomic_load(&lane->begun_ns);
  uint64_t until_ns = since_ns < now_ns ? since_ns : now_ns;
  if (until_ns <= from_ns)
    return;
  uint64_t most_ns = until_ns - from_ns;
  atomic_fetch_add(&lane->busy_ns, ended_ns < most_ns ? ended_ns : most_ns);
  atomic_store(&lane->begun_ns, until_ns);
}

void sg_turn_leave_out_alone(struct sg_lane *lane, uint32_t slot, uint64_t stopped_ns,
                             uint64_t now_ns) {
  uint64_t begun_ns = atomic_load(&lane->begun_ns);
  if (atomic_load(&lane->turn) != (word_of(slot) | SG_TURN_BUSY) || now_ns < begun_ns)
    return;
  uint64_t most_ns = now_ns - begun_ns;
  atomic_store(&lane->begun_ns, begun_ns + (stopped_ns < most_ns ? stopped_ns : most_ns));
}

uint64_t sg_service_ns(const struct sg_region *r, uint32_t job, uint64_t now_ns) {
  uint64_t before = r->job[job].service_ns;
  return sg_job_has_turn(r, job) ? before + sg_turn_had_ns(r, sg_job_lane(r, job), now_ns) : before;
}

bool sg_turn_give_up_idle(struct sg_region *r, uint32_t job) {
  if (!sg_job_has_turn(r, job))
    return true;
  _Atomic uint64_t *turn = &r->lane[sg_job_lane(r, job)].turn;
  uint64_t idle = atomic_load(turn) & ~SG_TURN_BUSY;
  uint64_t service_ns = sg_service_ns(r, job, 0); /* without the time of an iteration */
  bool given = atomic_compare_exchange_strong(turn, &idle, 0);
  sg_crash_point();
  if (given)
    SG_PUT(r->job[job].service_ns, service_ns);
  if (given && idle != 0)
    sg_note_marked(r, job);
  return given;
}

uint64_t sg_turn_had_ns(const struct sg_region *r, uint32_t lane, uint64_t now_ns) {
  const struct sg_lane *l = &r->lane[lane];
  uint64_t begun_ns = atomic_load(&l->begun_ns), had_ns = atomic_load(&l->busy_ns);
  bool busy = (atomic_load(&l->turn) & SG_TURN_BUSY) != 0;
  return had_ns + (busy && now_ns > begun_ns ? now_ns - begun_ns : 0);
}

bool sg_turn_is_stuck(const struct sg_region *r, uint32_t lane, uint64_t now_ns) {
  const struct sg_lane *l = &r->lane[lane];
  if (sg_turn_holder(r, lane) == SG_NONE)
    return false;
  bool busy = (atomic_load(&l->turn) & SG_TURN_BUSY) != 0;
  uint64_t since_ns = atomic_load(busy ? &l->begun_ns : &l->idle_since_ns);
  return now_ns > since_ns && now_ns - since_ns >= SG_LANE_PATIENCE_NS;
}

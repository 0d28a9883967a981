/*
 * turn_page.c - whose turn it is, between the region and client pages. The core decides, on the
 * region; a page says only whether its process uses the turn that it has (`lane` of struct
 * sg_page). So a process that nobody waits for begins and ends its iterations in its page, without
 * a message. In the region its turn is busy meanwhile: no other process takes it. Once somebody
 * waits, the page says so, and the agent takes the turn back from the page when it is idle, before
 * it lets the core give it away.
 *
 * The page's times count only while nobody waits. Otherwise the agent's clock does, from the moment
 * at which the core gave the turn to that at which the agent saw it idle: no process gets more than
 * its share by what it writes.
 */
#include "broker.h"
#include "../core/lanes/lanes.h"

static uint64_t idle_word(const struct broker_client *s) {
  return (uint64_t)s->slot + 1;
}

/** The lane in which the region says that the client has the turn; NULL: it has none. */
static struct sg_lane *held_lane(const schedgpu_broker *b, const struct broker_client *s) {
  uint32_t lane = sg_broker_client_has_slot(b, s) ? sg_lane_of(b->r, s->slot) : SG_NONE;
  return lane != SG_NONE && sg_turn_holder(b->r, lane) == s->slot ? &b->r->lane[lane] : NULL;
}

struct broker_client *sg_turn_holder_client(const schedgpu_broker *b, uint32_t lane) {
  uint32_t slot = sg_turn_holder(b->r, lane);
  return slot != SG_NONE ? sg_broker_client_in_slot(b, slot) : NULL;
}

/** By the page, since the last call: how long the iterations took that have ended. */
static uint64_t ended_ns(struct broker_client *s) {
  uint64_t all_ns = atomic_load(&s->page->lane.busy_ns), new_ns = all_ns - s->turn_counted_ns;
  s->turn_counted_ns = all_ns;
  return new_ns;
}

/** Counts the service until now: by the agent's clock, or by that of the page until `since_ns`. */
static void count(struct broker_client *s, struct sg_lane *lane, uint64_t since_ns) {
  uint64_t told_ns = ended_ns(s), now_ns = sg_now_ns();
  if (s->contested)
    sg_turn_told(lane, UINT64_MAX, now_ns, now_ns);
  else
    sg_turn_told(lane, told_ns, since_ns, now_ns);
}

/** Takes the turn from the page; false if the client is in an iteration. */
static bool take_back(struct broker_client *s) {
  uint64_t word = atomic_load(&s->page->lane.turn);
  do {
    if (word == (idle_word(s) | SG_TURN_BUSY))
      return false;
  } while (!atomic_compare_exchange_weak(&s->page->lane.turn, &word, 0));
  return true;
}

void sg_turn_from_page(schedgpu_broker *b, struct broker_client *s) {
  struct sg_lane *lane = held_lane(b, s), *page = &s->page->lane;
  if (!lane || !sg_turn_is_busy(b->r, s->slot)) {
    atomic_store(&page->turn, 0);
    return;
  }
  if (b->r->turn[s->slot].state == SG_GRANTED)
    return; /* the page does not know of it yet */
  if (take_back(s)) {
    count(s, lane, atomic_load(&page->idle_since_ns));
    sg_turn_end_alone(lane, s->slot, atomic_load(&lane->begun_ns));
  } else if (!s->contested) {
    count(s, lane, atomic_load(&page->begun_ns));
  }
}

/** No other client has this turn, whatever their pages say, as after damage. */
static void take_from_others(const schedgpu_broker *b, const struct broker_client *holder) {
  for (struct broker_client *s = b->clients; s; s = s->next)
    if (s != holder && atomic_load(&s->page->lane.turn) != 0 && !held_lane(b, s))
      atomic_store(&s->page->lane.turn, 0);
}

static uint64_t page_turn(const struct broker_client *s) {
  return atomic_load(&s->page->lane.turn);
}

static void give(struct broker_client *s, bool busy) {
  struct sg_lane *page = &s->page->lane;
  uint64_t now_ns = sg_now_ns();
  atomic_store(&page->begun_ns, now_ns);
  atomic_store(&page->idle_since_ns, now_ns);
  s->turn_counted_ns = atomic_load(&page->busy_ns);
  atomic_store(&page->turn, idle_word(s) | (busy ? SG_TURN_BUSY : 0));
}

/** The client gave up its wait while no agent heard it: nobody would end its iteration. */
static void leave_idle(struct broker_client *s) {
  uint64_t busy = idle_word(s) | SG_TURN_BUSY;
  if (atomic_load(&s->page->turn_waits) == 0)
    atomic_compare_exchange_strong(&s->page->lane.turn, &busy, idle_word(s));
}

/** The client waited for the turn, and does not any more. */
static void end_wait(struct broker_client *s) {
  if (s->waits_for_turn)
    sg_wake_client(s);
  s->waits_for_turn = false;
}

void sg_turn_to_page(schedgpu_broker *b, struct broker_client *s) {
  struct sg_lane *lane = held_lane(b, s);
  bool granted = lane && b->r->turn[s->slot].state == SG_GRANTED;
  if (granted)
    sg_turn_settle(b->r, s->slot, sg_now_ns());
  if (granted || (lane && sg_turn_is_busy(b->r, s->slot) && page_turn(s) == 0)) {
    take_from_others(b, s);
    give(s, true); /* its request began an iteration, or it waited for that */
    if (granted)
      leave_idle(s);
  } else if (lane && !sg_turn_is_busy(b->r, s->slot) && lane->waiting == 0 &&
             !b->announced) { /* a budget that others wait for may be idle: it stays idle here */
    sg_turn_begin_alone(lane, s->slot, sg_now_ns()); /* nobody wants it: the page has it again */
    give(s, false);
  }
  if (b->r->turn[s->slot].state != SG_WAITING)
    end_wait(s);
}

void sg_turn_announce(schedgpu_broker *b, struct broker_client *s, uint32_t of_lane, bool wanted) {
  struct sg_lane *lane = &b->r->lane[of_lane];
  uint32_t job = sg_client_job(b->r, &b->r->client[s->slot]);
  bool noted = job != SG_NONE && b->r->job[job].lane_policy != SCHEDGPU_LANE_SHARE &&
               sg_turn_end_is_noted(b->r, job);
  atomic_store(&s->page->lane.waiting, wanted || noted);
  if (wanted == s->contested)
    return;
  if (sg_turn_is_busy(b->r, s->slot) && b->r->turn[s->slot].state != SG_GRANTED)
    count(s, lane, atomic_load(&s->page->lane.begun_ns));
  s->contested = wanted;
  if (wanted) /* the keeper of a program that computes sleeps until then */
    sg_futex_wake(&s->page->lane.waiting, INT32_MAX);
}

static bool is_due(const struct sg_region *r, uint32_t lane, uint32_t holder) {
  uint64_t now_ns = sg_now_ns();
  uint32_t first = sg_first_for_turn(r, lane, now_ns);
  return first != SG_NONE && sg_turn_before_holder(r, first, holder, now_ns);
}

void sg_turns_to_pages(schedgpu_broker *b, const struct sg_wakes *wakes) {
  for (uint32_t i = 0; i < wakes->count; i++) {
    struct broker_client *s = wakes->waiter[i] >= SG_SLOTS
                                  ? sg_broker_client_in_slot(b, wakes->waiter[i] - SG_SLOTS)
                                  : NULL;
    if (s)
      sg_turn_to_page(b, s);
  }
  b->turns_wait = false;
  for (uint32_t i = 0; i < sg_lanes_end(b->r); i++) {
    bool wanted = atomic_load(&b->r->lane[i].waiting) != 0;
    struct broker_client *holder = sg_turn_holder_client(b, i);
    b->turns_wait |= wanted;
    if (!holder)
      continue;
    sg_turn_to_page(b, holder);
    sg_turn_announce(b, holder, i, wanted);
    atomic_store(&holder->page->turn_due, wanted && is_due(b->r, i, holder->slot));
  }
}

void sg_turn_resume(schedgpu_broker *b, struct broker_client *s, uint32_t turn) {
  const struct sg_lane *lane = held_lane(b, s);
  struct sg_lane *page = &s->page->lane;
  bool waits = b->r->turn[s->slot].state != SG_WAITER_FREE;
  atomic_store(&s->page->turn_waits, (turn & SG_WIRE_TURN_WAITS) != 0);
  s->waits_for_turn = waits && (turn & SG_WIRE_TURN_WAITS);
  if (s->waits_for_turn)
    atomic_store(&s->page->wait_state, SG_WAIT_GOES_ON);
  if (!lane || !(turn & (SG_WIRE_TURN_IDLE | SG_WIRE_TURN_BUSY)))
    return;
  atomic_store(&page->begun_ns, atomic_load(&lane->begun_ns));
  atomic_store(&page->turn, idle_word(s) | (turn & SG_WIRE_TURN_BUSY ? SG_TURN_BUSY : 0));
}

/* turn_wait.c - waits for the turn of the lane of this process's job (core/lanes/lanes.h). */
#include "self.h"
#include "notice.h"
#include "../../core/lanes/lanes.h"

/** A waiter looks as often as an idle turn may be taken, and less often for dead processes. */
#define LOOK_NS SG_LANE_IDLE_NS
#define CHECK_NS UINT64_C(50000000)
#define LEAVE_NS UINT64_C(1000000000) /* how often it looks whether it may leave the lane */

static bool still_waits(const struct sg_region *r, uint32_t slot) {
  return atomic_load_explicit(&r->turn[slot].state, memory_order_acquire) == SG_WAITING;
}

/** True if serving might give the turn to a waiter. Read without the lock. */
static bool may_change_hands(const struct sg_region *r, uint32_t slot) {
  uint32_t lane = sg_lane_of(r, slot);
  if (lane == SG_NONE || sg_turn_holder(r, lane) == SG_NONE)
    return true;
  uint64_t now_ns = sg_now_ns(), idle_since_ns = atomic_load(&r->lane[lane].idle_since_ns);
  bool busy = (atomic_load(&r->lane[lane].turn) & SG_TURN_BUSY) != 0;
  return !busy && now_ns > idle_since_ns && now_ns - idle_since_ns >= SG_LANE_IDLE_NS;
}

/** True if serving might move a waiter into another lane. Read without the lock. */
static bool may_leave(const struct sg_region *r, uint32_t slot) {
  uint32_t lane = sg_lane_of(r, slot);
  return lane != SG_NONE && sg_turn_is_stuck(r, lane, sg_now_ns());
}

static bool is_among_the_oldest(const struct sg_region *r, uint32_t slot) {
  uint32_t older = 0;
  for (uint32_t i = 0; i < sg_clients_end(r) && older < SG_WATCHERS; i++)
    older += still_waits(r, i) && r->turn[i].ticket < r->turn[slot].ticket;
  return older < SG_WATCHERS;
}

static int look(struct sg_self *self, void *argument, struct sg_wakes *wakes) {
  const struct sg_wait *wait = argument;
  if (self->h.r == wait->region)
    sg_serve(self->h.r, sg_now_ns(), wakes);
  return SCHEDGPU_OK;
}

/** Says who has the turn, once; true if it has been said. */
static bool tell(const struct sg_wait *wait, uint32_t slot, uint64_t waited_ns, bool told,
                 struct schedgpu_wait_notice *notice) {
  if (!told && waited_ns >= SG_TELL_TURN_NS)
    sg_notice_turn(wait->region, wait->ordinal, slot, waited_ns, notice);
  return told || waited_ns >= SG_TELL_TURN_NS;
}

/** Sleeps until the wait can be settled. False if the region is gone. `*told`: somebody was told.
 */
static bool sleep_for_turn(struct sg_self *self, const struct sg_wait *wait, uint32_t slot,
                           struct sg_lock_timeout *timeout, bool *told,
                           struct schedgpu_wait_notice *notice) {
  uint64_t start_ns = sg_now_ns(), now_ns = start_ns, checked_ns = 0, looked_ns = start_ns;
  for (; still_waits(wait->region, slot) && now_ns < wait->deadline_ns; now_ns = sg_now_ns()) {
    uint64_t left_ns = wait->deadline_ns - now_ns;
    if (sg_futex_wait(&wait->region->turn[slot].state, SG_WAITING,
                      left_ns < LOOK_NS ? left_ns : LOOK_NS))
      continue;
    if (now_ns - checked_ns >= CHECK_NS) {
      checked_ns = now_ns;
      if (!sg_self_check_others(self, wait->region, timeout))
        return false;
      if (is_among_the_oldest(wait->region, slot))
        sg_watch_deaths(self);
    }
    *told = tell(wait, slot, now_ns - start_ns, *told, notice);
    bool leaves = now_ns - looked_ns >= LEAVE_NS && may_leave(wait->region, slot);
    if (leaves || may_change_hands(wait->region, slot)) {
      looked_ns = now_ns;
      struct sg_lock_timeout little = {.give_up_ns = 0, .reported = timeout->reported};
      sg_self_do(self, &little, look, (void *)(uintptr_t)wait);
      timeout->reported = little.reported;
    }
  }
  return true;
}

static int settle_turn(struct sg_self *self, void *argument, struct sg_wakes *wakes) {
  const struct sg_wait *wait = argument;
  if (self->h.r != wait->region)
    return SCHEDGPU_ENOJOB;
  int rc = sg_turn_settle(self->h.r, self->h.slot, sg_now_ns());
  sg_serve(self->h.r, sg_now_ns(), wakes);
  return rc;
}

/** The keeper of a process that computes sleeps until somebody waits (preload/turns/keeper.c). */
static void call_keeper(struct sg_region *r, uint32_t slot) {
  uint32_t lane = sg_lane_of(r, slot);
  if (lane != SG_NONE && sg_read_once(&r->lane[lane].policy) == SCHEDGPU_LANE_SHARE)
    sg_futex_wake(&r->lane[lane].waiting, INT_MAX);
}

int sg_self_wait_for_turn(struct sg_self *self, const struct sg_wait *wait,
                          struct sg_lock_timeout *timeout) {
  struct schedgpu_wait_notice notice;
  bool told = false;
  uint32_t slot = self->h.slot % SG_SLOTS;
  uint64_t start_ns = sg_now_ns();
  call_keeper(wait->region, slot);
  bool gone = !sleep_for_turn(self, wait, slot, timeout, &told, &notice);
  struct sg_lock_timeout forever = {.give_up_ns = gone ? 0 : SG_NO_DEADLINE,
                                    .reported = gone || timeout->reported};
  int rc = sg_self_do(self, &forever, settle_turn, (void *)(uintptr_t)wait);
  if (gone && rc != SCHEDGPU_OK)
    rc = SCHEDGPU_ENOREGION;
  if (rc == SCHEDGPU_EWOULDBLOCK)
    rc = SCHEDGPU_ETIMEDOUT;
  if (told)
    sg_notice_end(&notice, sg_now_ns() - start_ns, rc);
  return rc;
}

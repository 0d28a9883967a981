/*
 * operations.h - what a client does in another way where only the agent writes the region. Whoever
 * attaches gets one of two tables: `sg_direct` (direct.c) works in the region, `sg_by_agent`
 * (wire/by_agent.c) asks the agent. Nothing else in client/ knows which of them it is. A broker
 * client has a view in place of the region and a page in place of its record, so what only reads
 * them, or takes no lock, is the same for both, and not in the table.
 */
#ifndef SG_OPERATIONS_H
#define SG_OPERATIONS_H

#include "self.h"

/**
 * All but `open` and `attach` are only for a process that has attached, and for one that has
 * detached since, or never attached: then they find no record. Unless stated otherwise they are
 * called without the mutex, by any number of threads. Each entry is a static function of the file
 * of its table: check-stack follows pointers to those.
 */
struct sg_operations {
  /**
   * Finds what `run_dir` has for this table: OK, or why not. `refused`: why the other table, which
   * was asked before, cannot be used. Call with the mutex.
   */
  int (*open)(struct sg_self *self, const char *run_dir, int refused);
  /**
   * Takes a slot for the job of `key`, after `open`: what it joined, and its record. ELOCK if that
   * takes longer than `timeout_ns`. Call with the mutex.
   */
  int (*attach)(struct sg_self *self, const char *run_dir, const struct sg_job_key *key,
                int64_t timeout_ns, struct sg_joined *joined, struct sg_client **record);
  int (*detach)(struct sg_self *self);

  /**
   * Runs a transition while no other process changes what it uses. ELOCK if that takes longer than
   * `timeout_ns`. Call with the mutex, and with a record.
   */
  int (*run)(struct sg_self *self, int64_t timeout_ns, sg_transition transition, void *argument);
  /** What a call ends with that gave up because of ELOCK. */
  int no_lock;
  /**
   * True if a process seems to be dead whose memory others wait for: `job_at_least` looks at the
   * own job if the next scan is not due yet. Call with the mutex, and with a record.
   */
  bool (*find_dead)(const struct sg_self *self, bool job_at_least);
  /** Within `run`: true if the record's job still runs, as far as this process reads its record. */
  bool (*has_job)(const struct sg_self *self);

  /**
   * Within `run`: asks for memory, a context or the turn. Completes `wait` if the request was
   * queued. `in_turn`: no other thread of this process waits. The codes of sg_ask().
   */
  int (*ask)(struct sg_self *self, const struct sg_request *request, bool in_turn,
             struct sg_wait *wait, struct sg_wakes *wakes);
  /** Waits for a queued request, settles it, and tells the observer. */
  int (*wait)(struct sg_self *self, struct sg_wait *wait, struct sg_lock_timeout *timeout);
  /** The turn of a lane, as far as this process has it. Takes no lock. */
  struct sg_lane *(*lane)(const struct sg_self *self, uint32_t lane);
  /** As sg_self_wait_for_turn(). */
  int (*wait_for_turn)(struct sg_self *self, struct sg_wait *wait, struct sg_lock_timeout *timeout);
  /** After an iteration: the turn goes on if it is the time of another process. EKEPT as
   * sg_turn_hand_over(); ENOJOB: the process is detached. */
  int (*hand_over)(struct sg_self *self);
  /** True if a waiter comes before this process, which has the turn. */
  bool (*turn_is_due)(struct sg_self *self);
  /** Returns memory of a job that reserves what its processes use. */
  int (*give_back)(struct sg_self *self, uint32_t device, uint64_t bytes);
  /** Leaves a context with its last user. EUNDERFLOW: nobody is in it. */
  int (*leave_context)(struct sg_self *self, uint32_t device);

  /** After memory was returned to the lease: true if `serve` is needed. Takes no lock. */
  bool (*others_wait)(const struct sg_self *self);
  /** Serves whoever waits, now that memory was returned. */
  int (*serve)(struct sg_self *self);
  /** The record has counted a refusal, which is to be known even if the job ends now. */
  void (*refused)(struct sg_self *self);

  int (*query)(struct sg_self *self, uint32_t device, struct schedgpu_info *info);
  int (*holders)(struct sg_self *self, uint32_t device, char *text, size_t size);
};

extern const struct sg_operations sg_direct, sg_by_agent;

/**
 * The table of this process. One that never attached, as a forked child, whose state was wiped, has
 * none: the direct one finds that it holds nothing.
 */
static inline const struct sg_operations *sg_operations_of(const struct sg_self *self) {
  const struct sg_operations *its = atomic_load_explicit(&self->operations, memory_order_relaxed);
  return its ? its : &sg_direct;
}

#endif

/*
 * lanes.h - jobs that use one space of device memory in turns: docs/reference/lanes.md.
 *
 * A lane job reserves its persistent memory for as long as it holds; its ephemeral memory is the
 * rest of its budget, which it may use only during its turn. The lane reserves the largest
 * ephemeral memory of its members (Salus, section 3.3.2).
 */
#ifndef SG_LANES_H
#define SG_LANES_H

#include "../layout/access.h"

/** A turn with the device itself lasts this part of LaneQuantum: 100 ms of the default second. */
#define SG_SHARE_PART 10

/** So many iterations of a job tell what it keeps between them: the first one may allocate what the
 * next ones keep. */
#define SG_MEASURES 3u

/** Notes that a process of the job has ended an iteration: the program marks them. */
void sg_note_marked(struct sg_region *r, uint32_t job);

/* --- assignment (lanes.c) --- */
/** Bytes of the job's device that a lane and its persistent memory need, if it does not hold. */
uint64_t sg_lane_need(const struct sg_region *r, uint32_t job);
/** Chooses a lane for a job that is to hold, as Algorithm 1 does, and writes it into the job. */
void sg_lane_choose(struct sg_region *r, uint32_t job);
/** Counts a job that holds now as a member of the lane that was chosen; returns the bytes by which
 * the lane grew. */
uint64_t sg_lane_join(struct sg_region *r, uint32_t job, uint64_t now_ns);
/** Counts a job out of its lane; returns the bytes by which the lane shrank. `lane` is what
 * sg_job_lane() was while it held. */
uint64_t sg_lane_leave(struct sg_region *r, uint32_t job, uint32_t lane);
/** The largest ephemeral memory of the lane's members, `except` left out. */
uint64_t sg_lane_size_without(const struct sg_region *r, uint32_t lane, uint32_t except);
/** Computes the caches of all lanes from the jobs; each member is in a lane of its own kind
 * afterwards. The devices' sums are not changed. */
void sg_lanes_recount(struct sg_region *r);
/** Bytes of all lanes of the device. */
uint64_t sg_lanes_bytes(const struct sg_region *r, uint32_t device);

/**
 * Algorithm 1 for a member that is to leave its lane: which of the others it uses. Lanes with a
 * stuck turn are none of them. `available`: what the lane may cost. SG_NONE: none.
 */
uint32_t sg_lane_beside(const struct sg_region *r, uint32_t job, uint64_t available,
                        uint64_t now_ns);

/* --- leaving a lane (lane_moves.c) --- */
/** Moves a member whose processes wait for their turn into another lane. Returns that lane; SG_NONE
 * if it stays, since no memory is free. */
uint32_t sg_lane_move(struct sg_region *r, uint32_t job, uint64_t now_ns);

/* --- shared lanes (lane_share.c) --- */
/** Which jobs the job may share a lane with: 0: all that do not share memory; else those of its
 * user that do. */
uint64_t sg_sharers(const struct sg_region *r, uint32_t job);
/** The same of the lane's members. */
uint64_t sg_lane_sharers(const struct sg_region *r, uint32_t lane);
/** The job of the process shares the memory of its lane from now on. EINVAL if it is no lane job,
 * declared no persistent memory or no ephemeral memory, or asked for memory already. */
int sg_lane_share(struct sg_region *r, uint32_t slot);
/**
 * Notes how much of its shared lane the process maps, from its beginning on, and its door; 0 bytes:
 * nothing. EINVAL without a shared lane; ETURN if it has not the turn, without which nobody else
 * may make memory for the lane meanwhile; EBUDGET: more than its ephemeral memory.
 */
int sg_lane_map(struct sg_region *r, uint32_t slot, uint64_t bytes, uint32_t door);

/* --- whose turn it is (turn_word.c) --- */
/** The lane that the process's job is in; SG_NONE without one. */
uint32_t sg_lane_of(const struct sg_region *r, uint32_t slot);
/** The slot that has the turn of the lane, SG_NONE if nobody has it. */
uint32_t sg_turn_holder(const struct sg_region *r, uint32_t lane);
/** True if the process has the turn of its job's lane, and is in an iteration. */
bool sg_turn_is_busy(const struct sg_region *r, uint32_t slot);
/** True if a process of the member has the turn. */
bool sg_job_has_turn(const struct sg_region *r, uint32_t job);
/** True if the process needs its lane now: it waits for the turn, or is in an iteration. */
bool sg_turn_in_use(const struct sg_region *r, uint32_t slot);
/** Begins an iteration without the lock; false: ask with the lock. Only the process itself calls
 * this and the next one. */
bool sg_turn_begin_alone(struct sg_lane *lane, uint32_t slot, uint64_t now_ns);
/** Ends an iteration without the lock; false: somebody may wait, so sg_turn_end() must follow. */
bool sg_turn_end_alone(struct sg_lane *lane, uint32_t slot, uint64_t now_ns);
/**
 * The process keeps its turn in memory of its own (Mode=brokered), and says that its iterations of
 * before `since_ns` took `ended_ns`. Both count as far as the time since it was last heard allows.
 * Call with the lock, while it has the turn and is in an iteration as far as the region knows.
 */
void sg_turn_told(struct sg_lane *lane, uint64_t ended_ns, uint64_t since_ns, uint64_t now_ns);
/** The process was stopped for so long in its iteration: that is no service of its job. Only the
 * process itself calls this, without the lock. */
void sg_turn_leave_out_alone(struct sg_lane *lane, uint32_t slot, uint64_t stopped_ns,
                             uint64_t now_ns);

/** The turn of the job is nobody's, if it is idle or the job has none; false if a process of the
 * job is in an iteration, or has just begun one. */
bool sg_turn_give_up_idle(struct sg_region *r, uint32_t job);
/** How long the job's processes have been in iterations, those of the present turn included. */
uint64_t sg_service_ns(const struct sg_region *r, uint32_t job, uint64_t now_ns);
/** How long the process that has the turn has been in iterations since it got the turn. */
uint64_t sg_turn_had_ns(const struct sg_region *r, uint32_t lane, uint64_t now_ns);

/** True if the present iteration of the turn's holder, or the time since its last one, has lasted
 * SG_LANE_PATIENCE_NS. */
bool sg_turn_is_stuck(const struct sg_region *r, uint32_t lane, uint64_t now_ns);

/* --- a turn changes hands (serve_turns.c) --- */
/** Serves the turns of all lanes. A waiter has it called, through sg_serve(), from time to time. */
void sg_serve_turns(struct sg_region *r, uint64_t now_ns, struct sg_wakes *wakes);
/** The waiter that gets the turn next, SG_NONE if nobody waits. */
uint32_t sg_first_for_turn(const struct sg_region *r, uint32_t lane, uint64_t now_ns);
/** Adds the time that the process has waited for a turn to its job's. */
void sg_turn_note_wait(struct sg_region *r, uint32_t slot, uint64_t now_ns);
/** Notes what the member uses now, when it has no need of its turn. */
void sg_note_kept(struct sg_region *r, uint32_t job);
/** The turn of the process, which has it, is nobody's from now on. */
void sg_end_turn(struct sg_region *r, uint32_t lane, uint32_t holder, uint64_t now_ns);

/* --- the calls of a process (turns.c) --- */
/**
 * The process of a member asks for the turn. SCHEDGPU_OK: it has it. SCHEDGPU_ETURN: it waits; the
 * caller ends the wait with sg_turn_settle(). SCHEDGPU_EWOULDBLOCK: it may not wait. A returned
 * turn may have freed memory: the caller serves the queues.
 */
int sg_turn_ask(struct sg_region *r, uint32_t slot, bool may_wait, uint64_t now_ns,
                struct sg_wakes *wakes);
/** Ends a wait for a turn: SCHEDGPU_OK if it was given, else SCHEDGPU_EWOULDBLOCK. ENOJOB if the
 * wait is over for another reason. */
int sg_turn_settle(struct sg_region *r, uint32_t slot, uint64_t now_ns);
/** True for the first iterations of a job that did not declare its persistent memory: it is
 * measured. */
bool sg_turn_measures(const struct sg_region *r, uint32_t job);
/** True for these, and for the first iteration of every job: so the process frees what it only
 * caches and calls sg_turn_hand_over(), whoever waits. */
bool sg_turn_end_is_noted(const struct sg_region *r, uint32_t job);
/** After an iteration of the process has ended: serves, or measures what it keeps. SCHEDGPU_EKEPT:
 * the first waiter comes before this process, but the turn cannot be returned. */
int sg_turn_hand_over(struct sg_region *r, uint32_t slot, uint64_t now_ns, struct sg_wakes *wakes);
/** Ends the iteration, and hands over. */
int sg_turn_end(struct sg_region *r, uint32_t slot, uint64_t now_ns, struct sg_wakes *wakes);
/** The process leaves: its wait ends, and its turn is nobody's. */
void sg_turn_drop(struct sg_region *r, uint32_t slot, uint64_t now_ns, struct sg_wakes *wakes);

/* --- order (lane_order.c) --- */
/** True if waiter `a` gets the turn before waiter `b`. */
bool sg_turn_before(const struct sg_region *r, uint32_t a, uint32_t b, uint64_t now_ns);
/** True if the waiter comes before the process that has the turn. */
bool sg_turn_before_holder(const struct sg_region *r, uint32_t waiter, uint32_t holder,
                           uint64_t now_ns);
/**
 * A job whose processes want nothing of the device gains no credit: as it asks for its turn again,
 * under SHARE, its service is at least the least of those that compute or wait; if there are none,
 * the most of all members.
 */
void sg_turn_catch_up(struct sg_region *r, uint32_t slot, uint32_t lane, uint64_t now_ns);
/** The service of the job per share, until now. */
uint64_t sg_service_per_share(const struct sg_region *r, uint32_t job, uint64_t now_ns);

#endif

/*
 * region.h - the layout of the region: the places in the shared memory, their writers, and the cost
 * of a stale read. The same for every process of the node, whatever its language.
 *
 *   offset 0     sg_header   identity, configuration, lock word, sequence, counters, queue
 *   + header     sg_device   [16]    one per physical GPU
 *   + devices    sg_job      [512]   what Slurm runs, or one `schedgpu run`
 *   + jobs       sg_client   [1088]  one per attached process; 64 for the root side, 1,024 for jobs
 *   + clients    sg_waiter   [1088]  the request of each process, at the place of its slot
 *   + waiters    sg_ended    [2048]  the last jobs that ended, a ring
 *   + ended      sg_lane     [128]   the memory that the members of a lane use in turns
 *   + lanes      sg_turn     [1088]  who waits for the turn of a lane, at the place of its slot
 *
 * Authoritative are: job.state, job.admitted, job.held_mask, job.reserved_bytes, job.overrun_bytes,
 * device.foreign_bytes, client.state, client.lease, client.contexts, waiter.state and the request
 * in it, job.lane, lane.turn and turn.state. Everything marked "cache" is recounted from these
 * after a crash (sg_recount). Everything marked "sealed" is covered by the checksum of its record
 * (integrity.c): it changes only when the root side writes it. All offsets are exported by name
 * (layout.c), so that no other language repeats them. Any change of this file changes
 * SG_LAYOUT_VERSION.
 *
 * Every field may hold anything, and change at any time (a user may write the region): indexes are
 * read once, by the accessors of access.h, and checked; loops are bounded by the sizes below and
 * never by a field alone.
 */
#ifndef SG_REGION_H
#define SG_REGION_H

#include "schedgpu/admin.h"
#include <stdatomic.h>
#include <stdbool.h>

#define SG_MAGIC UINT64_C(0x5550474445484353) /* "SCHEDGPU" */
#define SG_LAYOUT_VERSION 13u
#define SG_UNIT_BYTES UINT64_C(512)
#define SG_ADMIN_SLOTS 64u
#define SG_SLOTS (SCHEDGPU_MAX_CLIENTS + SG_ADMIN_SLOTS)
#define SG_ENDED 2048u
#define SG_LANES 128u
#define SG_NONE UINT32_MAX
#define SG_NO_DEADLINE UINT64_MAX

enum sg_record_state { SG_FREE = 0, SG_ACTIVE = 1, SG_ENDING = 2 };
enum sg_waiter_state { SG_WAITER_FREE = 0, SG_WAITING = 1, SG_GRANTED = 2 };
enum sg_request_kind { SG_PEAK = 1, SG_ONDEMAND = 2, SG_CONTEXT = 3 };
/** Requests of jobs that are not admitted wait in their own queue: they never block the memory
 * queue. */
enum sg_queue_class { SG_QUEUE_MEMORY = 0, SG_QUEUE_CONTEXT = 1, SG_QUEUES = 2 };

/** Written once by the creator, `ready` last. Later, only policy, limits and counters change,
 * under the lock. The fields from `magic` to `root_live_ino` are sealed, except `ready`. */
struct sg_header {
  uint64_t magic;
  uint32_t version;       /**< SG_LAYOUT_VERSION */
  uint32_t stamp;         /**< a hash of the sizes and counts of the records (sg_layout_stamp) */
  uint64_t size;          /**< bytes of the whole region */
  _Atomic uint32_t ready; /**< 1: usable; any other value: not usable */
  uint32_t device_count;  /**< devices [0, device_count) may be present */
  uint64_t created_ns;
  uint32_t policy; /**< enum schedgpu_policy; read under the lock */
  uint32_t overtake_limit;
  int64_t grace_ns;
  int64_t quantum_ns;     /**< of the turns of a lane */
  uint32_t deadlock_rule; /**< enum schedgpu_deadlock_rule */
  uint32_t unused;
  uint64_t live_dev;      /**< device and inodes of the liveness files; no other file counts */
  uint64_t live_ino;      /**< of the clients' file */
  uint64_t root_live_ino; /**< of the root side's file */
  uint64_t seal;
  _Alignas(64) _Atomic uint32_t lock; /**< see shell/region/lock.c */
  _Alignas(64) _Atomic uint64_t seq;  /**< odd during a change: readers without the lock retry */
  uint64_t ticket;                    /**< last sequence number of a request in a queue */
  uint64_t lane_ticket;               /**< last one of a wait for a turn, or of a join of a lane */
  uint32_t job_high; /**< records at and above it have never been used: bounds scans */
  uint32_t client_high;
  uint32_t queue_length;         /**< cache: the number of waiters */
  uint32_t owned_jobs;           /**< cache: the number of active jobs that end with their owner */
  uint32_t lane_high;            /**< cache: lanes at and above it have no members */
  _Atomic uint64_t scanned_ns;   /**< start of the last scan for dead clients */
  _Atomic uint64_t scan_took_ns; /**< its duration; the next one waits 20 times as long */
  uint64_t recoveries;           /**< locks taken over from dead owners */
  uint64_t reaped_clients;
  uint64_t grants;
  _Atomic uint64_t repairs; /**< repairs of damage (integrity.c); clients compare it */
  uint64_t ended;           /**< sequence of the last job that ended (ended.c) */
  uint64_t refusals;        /**< refused allocations of all jobs (refusals.c) */
  /** time of the last complete check (shell/region/check.c): for a while no hook needs another */
  _Atomic uint64_t checked_ns;
  uint16_t queue[SG_SLOTS]; /**< cache: the slots of the waiters, oldest ticket first */
  /** cache: the key of each record's job, 0 if it is free (sg_job_key). A job and a free record
   * are found by it, without reading all records, each in pages of its own */
  uint64_t job_key[SCHEDGPU_MAX_JOBS];
};

/** Written under the lock. Sealed, except the caches and `foreign_bytes`. */
struct sg_device {
  uint64_t seal;
  uint32_t state; /**< SG_ACTIVE = present */
  uint32_t index;
  uint64_t total_bytes;
  uint64_t reserved_bytes;
  uint64_t context_bytes;
  uint64_t used_bytes; /**< cache: contexts + held budgets + leases + grants + unreserved memory */
  uint64_t context_used_bytes; /**< cache: contexts alone */
  uint64_t unreserved_bytes;   /**< cache: foreign memory and the overruns of all jobs */
  uint64_t foreign_bytes;      /**< of programs without a job; read it with sg_foreign() */
  uint64_t largest_need_bytes; /**< of the admitted jobs, at the time of the last admission */
  uint32_t held_budgets;       /**< cache: how many jobs hold a budget here */
  /** cache; processes that free memory read it without the lock */
  _Atomic uint32_t waiting[SG_QUEUES];
  char uuid[SCHEDGPU_UUID_SIZE];
  char name[SCHEDGPU_NAME_SIZE];
};

/**
 * X(NAME): the figures of a job that only grow while it runs. Each is a field of its record, and of
 * that of its end; JobFigure.java has the same rows, from which the history and JSON are made.
 */
#define SG_JOB_FIGURES(X)                                                                          \
  X(waited_ns) /* time in which any of its requests waited, in waits that are over */              \
  X(waits)     /* the number of these */                                                           \
  X(held_ns)   /* how long it held memory of any device */
#define SG_FIGURE(name) uint64_t name;

/** Written under the lock. The first cache line has all that a scan of the queue reads. */
struct sg_job {
  /** written last when a job begins; SG_ENDING first when it ends */
  _Alignas(64) _Atomic uint32_t state;
  uint32_t mode;        /**< sealed */
  uint32_t device_mask; /**< sealed */
  uint32_t held_mask;   /**< devices whose whole budget is reserved; 0 or device_mask */
  uint32_t admitted;    /**< 1: its contexts are reserved on each of its devices */
  uint32_t processes;   /**< sealed; number of contexts per device that its admission reserves, 1 or
                           more */
  uint32_t clients;     /**< cache: its attached processes */
  uint32_t waiting;     /**< cache: its requests that wait */
  uint32_t kind;        /**< sealed, as all fields up to budget_bytes */
  uint32_t uid;
  uint64_t id;
  int32_t priority;
  uint32_t flags;
  uint32_t owner_slot; /**< of an owned job */
  uint32_t owner_gen;
  uint64_t begun_ns;
  int64_t wait_ns;
  uint32_t lane_policy;      /**< enum schedgpu_lane_policy; these four are sealed too */
  uint32_t share;            /**< 1 or more */
  int64_t length_ns;         /**< 0: unknown */
  uint64_t persistent_bytes; /**< of a lane job, as declared */
  uint64_t budget_bytes[SCHEDGPU_MAX_DEVICES];
  char name[SCHEDGPU_NAME_SIZE]; /**< sealed */
  uint64_t seal;
  /** if held_mask has the bit: the budget and its growth; of a lane job its persistent memory */
  uint64_t reserved_bytes[SCHEDGPU_MAX_DEVICES];
  uint64_t overrun_bytes[SCHEDGPU_MAX_DEVICES]; /**< on any device; read it with sg_overrun() */
  /** while it holds memory of any device: the time at which it would have begun to hold it, if it
   * had never paused (account.c); else 0 */
  uint64_t held_since_ns;
  SG_JOB_FIGURES(SG_FIGURE) /**< held_ns: duration of its earlier holds */
  uint64_t ended_as;        /**< while it ends: the sequence of its record in the ring */
  uint64_t peak_bytes[SCHEDGPU_MAX_DEVICES];         /**< most in use, without contexts (peaks.c) */
  uint64_t context_peak_bytes[SCHEDGPU_MAX_DEVICES]; /**< most of contexts */
  /** cache; ondemand: leases of its clients and grants that they have not taken yet */
  uint64_t held_bytes[SCHEDGPU_MAX_DEVICES];
  /** cache; ondemand: the bytes of its waiting requests */
  uint64_t queued_bytes[SCHEDGPU_MAX_DEVICES];
  uint64_t context_used_bytes[SCHEDGPU_MAX_DEVICES]; /**< cache; of its clients, granted included */
  /** its known need beside contexts, at the time of the last admission (admission.c) */
  uint64_t need_bytes[SCHEDGPU_MAX_DEVICES];
  uint64_t refused_bytes; /**< of the largest refused allocation (refusals.c) */
  uint32_t refusals;      /**< number of refused allocations that are noted */
  uint32_t lane;          /**< its lane + 1 while it holds; 0: none (lanes.c) */
  uint64_t joined;        /**< the lane_ticket with which it joined its lane */
  uint64_t
      service_ns;     /**< of the iterations of its processes, those of the present turn left out */
  uint64_t turns;     /**< that its processes have got */
  uint64_t switches;  /**< turns that its processes gave to one that waited */
  uint64_t credit_ns; /**< the part of service_ns that it got to be level with others (lanes.c,
                         catch_up.c) */
  uint64_t turn_waited_ns; /**< as waited_ns, of waits for a turn */
  uint64_t kept_bytes;     /**< the most that it was seen to use between two turns; if it shares its
                              lane, at any time */
  uint32_t marked;         /**< 1: a process has ended an iteration */
  uint32_t shares_lane;    /**< 1: the memory of its lane is that of all members (lane_share.c) */
  uint32_t measures;       /**< of its persistent memory, while no turn of it is wanted (turns.c) */
  char spare[20];          /**< makes the number of cache lines odd, as in a client */
};

/**
 * Written under the lock by its owner; by others only to reap it, to end its job, or to take back
 * unused lease. Its owner also changes `lease` without the lock, by one compare-and-swap at a time.
 */
struct sg_client {
  _Alignas(64) _Atomic uint32_t state;
  /** raised by the process that locks this slot's byte of the liveness file */
  _Atomic uint32_t gen;
  uint32_t agen; /**< gen of the process that activated the record; if it differs, that process is
                    dead */
  int32_t pid;   /**< for display only */
  uint64_t pid_namespace;
  uint32_t job; /**< index of the job, SG_NONE for the root side */
  uint32_t uid;
  uint64_t contexts[SCHEDGPU_MAX_DEVICES];      /**< bytes of this process's CUDA contexts */
  _Atomic uint64_t lease[SCHEDGPU_MAX_DEVICES]; /**< leased units << 32 | units in use */
  uint64_t idle_since_ns[SCHEDGPU_MAX_DEVICES]; /**< time when it last became unused; a stale value
                                                   delays the end of the grace period */
  uint64_t live_dev; /**< the liveness file in which this slot's byte is locked (liveness.c) */
  uint64_t live_ino;
  uint32_t gen_seal; /**< of gen and agen (sg_gen_seal): damaged generations do not show that a
                        process is dead */
  uint32_t agen_seal;
  /** most units in use since the job's peaks were last noted; raised without the lock (peaks.c) */
  _Atomic uint32_t peak_units[SCHEDGPU_MAX_DEVICES];
  /** refused allocations not noted yet << 32 | units of the largest one ever; added to without the
   * lock (refusals.c) */
  _Atomic uint64_t refused;
  char spare[64]; /**< makes the number of cache lines odd: a scan of all records then uses the
                     whole cache */
};

/** The request of the process in the same slot; a process has one request at a time. The process
 * writes and frees the record under the lock; others grant it with one store to `state`. */
struct sg_waiter {
  _Alignas(64) _Atomic uint32_t state; /**< also the futex word its client sleeps on */
  uint32_t client;                     /**< the slot's index, again */
  uint32_t job;
  uint32_t device; /**< the device of the request */
  /** the devices on which it must fit: all of the job's for a peak request */
  uint32_t device_mask;
  uint32_t kind;
  int32_t priority;
  uint32_t overtaken; /**< grants to younger waiters while it was the oldest */
  uint64_t ticket;
  uint64_t bytes; /**< of the request; a peak request needs its job's budgets */
  uint64_t since_ns;
  uint64_t deadline_ns;
};

/** A job that ended; written under the lock. It is whole if the sequence belongs to its place and
 * the seal is right; readers must check both (ended.c). All of it is sealed. */
struct sg_ended {
  _Alignas(64) _Atomic uint64_t sequence; /**< 1 for the first job; written last, 0 before that */
  uint64_t seal;
  uint64_t id;
  uint32_t kind;
  uint32_t uid;
  int32_t priority;
  uint32_t mode;
  uint32_t device_mask;
  uint32_t refusals;
  uint64_t begun_ns;
  uint64_t ended_ns;
  SG_JOB_FIGURES(SG_FIGURE)
  uint64_t budget_bytes[SCHEDGPU_MAX_DEVICES];
  uint64_t peak_bytes[SCHEDGPU_MAX_DEVICES];
  uint64_t context_peak_bytes[SCHEDGPU_MAX_DEVICES];
  char name[SCHEDGPU_NAME_SIZE];
  uint64_t refused_bytes;
  uint32_t unused;
  uint32_t lane_policy; /**< the rest is of lane jobs; 0 for others */
  uint32_t turns;       /**< this and the next one: or 2^32 - 1 if they were more */
  uint32_t switches;
  uint64_t service_ns; /**< in iterations: without what made it level with others */
  uint64_t turn_waited_ns;
  uint64_t kept_bytes;
};

/**
 * The memory that its members use in turns (lanes.c). All but `turn` and the times are caches,
 * since each member says in which lane it is.
 */
struct sg_lane {
  /** slot + 1 of the process that has the turn, 0: nobody; and SG_TURN_BUSY. Its process changes
   * the bit without the lock, all else changes under it (turns.c) */
  _Alignas(64) _Atomic uint64_t turn;
  /** written by its process without the lock: when it ended its last iteration, when it began the
   * present one, and the sum of those that it has ended in this turn */
  _Atomic uint64_t idle_since_ns;
  _Atomic uint64_t begun_ns;
  _Atomic uint64_t busy_ns;
  _Atomic uint32_t waiting; /**< the number of processes that wait for the turn */
  uint32_t members;
  uint32_t device;
  uint32_t policy;   /**< enum schedgpu_lane_policy */
  uint64_t bytes;    /**< the largest ephemeral memory of its members */
  uint64_t switches; /**< turns that went from one process to another */
};
#define SG_TURN_BUSY (UINT64_C(1) << 32)
/** An idle turn may be taken after this time, whatever the policy. */
#define SG_LANE_IDLE_NS UINT64_C(5000000)
/** After this time without a change a turn is stuck: its waiters leave the lane, if they can.
 * Longer than a waiter waits before it is told whose turn that is (shell/client/client_lane.c). */
#define SG_LANE_PATIENCE_NS UINT64_C(15000000000)

/** The wait of the process in this slot for the turn of its job's lane, and what it has of a shared
 * lane. */
struct sg_turn {
  _Alignas(64) _Atomic uint32_t state; /**< enum sg_waiter_state; also the futex word */
  uint32_t overtaken; /**< turns given to younger waiters while it was the oldest */
  uint64_t ticket;
  uint64_t since_ns;
  uint64_t lane_bytes; /**< of the memory of its lane that it maps; 0: none */
  uint32_t door;       /**< the number of the socket at which it passes that memory on */
};

/** The values of the caches when a repair began. The repair recounts the caches. If the repairer
 * is killed, the next one finds the values here. */
struct sg_saved_caches {
  _Atomic uint64_t seal; /**< written last; 0 before that, and while no repair runs */
  uint64_t granted_bytes[SCHEDGPU_MAX_DEVICES];
  uint32_t clients[SCHEDGPU_MAX_JOBS];
};

struct sg_region {
  struct sg_header h;
  struct sg_device device[SCHEDGPU_MAX_DEVICES];
  struct sg_job job[SCHEDGPU_MAX_JOBS];
  struct sg_client client[SG_SLOTS];
  struct sg_waiter waiter[SG_SLOTS];
  struct sg_ended ended[SG_ENDED];
  struct sg_lane lane[SG_LANES];
  struct sg_turn turn[SG_SLOTS];
  struct sg_saved_caches before;
};

/**
 * A store that another process can see. Test builds define SG_CRASH_POINTS and die at the k-th one,
 * so that "killed between any two stores" is enumerated, not hoped for.
 */
#ifdef SG_CRASH_POINTS
void sg_crash_point(void);
#else
static inline void sg_crash_point(void) {}
#endif
#define SG_PUT(place, value)                                                                       \
  do {                                                                                             \
    (place) = (value);                                                                             \
    sg_crash_point();                                                                              \
  } while (0)

#endif

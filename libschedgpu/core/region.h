/*
 * region.h - the layout of the region: what lies where in the shared memory, who writes it, what a
 * stale read costs. The same for every process of the node, whatever its language.
 *
 *   offset 0     sg_header   identity, configuration, lock word, sequence, counters, queue
 *   + header     sg_device   [16]    one per physical GPU
 *   + devices    sg_job      [512]   what Slurm runs, or one `schedgpu run`
 *   + jobs       sg_client   [1088]  one per attached process; 64 for the root side, 1,024 for jobs
 *   + clients    sg_waiter   [1088]  the request of each process, at the place of its slot
 *   + waiters    sg_ended    [2048]  the last jobs that ended, a ring
 *
 * Authoritative are: job.state, job.admitted, job.held_mask, job.reserved_bytes, job.overrun_bytes,
 * device.foreign_bytes, client.state, client.lease, client.contexts, waiter.state and the request
 * in it. Everything marked "cache" is recounted from these after a crash (sg_recount). Everything
 * marked "sealed" is covered by the checksum of its record (integrity.c): it changes only when the
 * root side writes it. All offsets are exported by name (layout.c), so that no other language
 * repeats them. Any change of this file changes SG_LAYOUT_VERSION.
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
#define SG_LAYOUT_VERSION 8u
#define SG_UNIT_BYTES UINT64_C(512)
#define SG_ADMIN_SLOTS 64u
#define SG_SLOTS (SCHEDGPU_MAX_CLIENTS + SG_ADMIN_SLOTS)
#define SG_ENDED 2048u
#define SG_NONE UINT32_MAX
#define SG_NO_DEADLINE UINT64_MAX

enum sg_record_state { SG_FREE = 0, SG_ACTIVE = 1, SG_ENDING = 2 };
enum sg_waiter_state { SG_WAITER_FREE = 0, SG_WAITING = 1, SG_GRANTED = 2 };
enum sg_request_kind { SG_PEAK = 1, SG_ONDEMAND = 2, SG_CONTEXT = 3 };
/** Whoever is not admitted queues apart: it must never stop memory from being given. */
enum sg_queue_class { SG_QUEUE_MEMORY = 0, SG_QUEUE_CONTEXT = 1, SG_QUEUES = 2 };

/** Written once by the creator, `ready` last; later only policy, limits and counters, under the
 * lock. From `magic` to `root_live_ino` sealed, but for `ready`. */
struct sg_header {
  uint64_t magic;
  uint32_t version;       /**< SG_LAYOUT_VERSION */
  uint32_t stamp;         /**< sizes and counts of the records, folded (sg_layout_stamp) */
  uint64_t size;          /**< bytes of the whole region */
  _Atomic uint32_t ready; /**< 1 when the creator is done; anything else: not to be used */
  uint32_t device_count;  /**< devices [0, device_count) may be present */
  uint64_t created_ns;
  uint32_t policy; /**< enum schedgpu_policy; read under the lock */
  uint32_t overtake_limit;
  int64_t grace_ns;
  uint32_t deadlock_rule; /**< enum schedgpu_deadlock_rule */
  uint32_t unused;
  uint64_t live_dev; /**< device and inodes of the liveness files: no other ones say who lives */
  uint64_t live_ino; /**< of the clients' */
  uint64_t root_live_ino; /**< of the root side's */
  uint64_t seal;
  _Alignas(64) _Atomic uint32_t lock; /**< see shell/region/lock.c */
  _Alignas(
      64) _Atomic uint64_t seq; /**< odd while somebody writes: readers without the lock retry */
  uint64_t ticket;              /**< last sequence number given to a waiter */
  uint32_t job_high;            /**< records at and above have never been used: bounds scans */
  uint32_t client_high;
  uint32_t queue_length;         /**< cache: how many wait */
  uint32_t owned_jobs;           /**< cache: how many active jobs end with their owner */
  _Atomic uint64_t scanned_ns;   /**< last look for the dead: one poller at a time is enough */
  _Atomic uint64_t scan_took_ns; /**< as long as that took, twenty times, nobody looks again */
  uint64_t recoveries;           /**< locks taken over from the dead */
  uint64_t reaped_clients;
  uint64_t grants;
  _Atomic uint64_t repairs; /**< damage found and mended (integrity.c): clients compare it */
  uint64_t ended;           /**< sequence of the last job that ended (ended.c) */
  uint64_t refusals;        /**< allocations that were refused, of all jobs (refusals.c) */
  /** last look at everything (shell/region/mend.c): for a while no hook needs another */
  _Atomic uint64_t looked_ns;
  uint16_t queue[SG_SLOTS]; /**< cache: the slots of those who wait, oldest ticket first */
  /** cache: who is in each job's record, 0 if nobody (sg_job_key): a job is found, and a place for
   * one, without a look into all of them, each in pages of its own */
  uint64_t job_key[SCHEDGPU_MAX_JOBS];
};

/** Written under the lock. Sealed: all that is no cache, but for `foreign_bytes`. */
struct sg_device {
  uint64_t seal;
  uint32_t state; /**< SG_ACTIVE = present */
  uint32_t index;
  uint64_t total_bytes;
  uint64_t reserved_bytes;
  uint64_t context_bytes;
  uint64_t used_bytes;         /**< cache: contexts + held budgets + leases + grants + outside */
  uint64_t context_used_bytes; /**< cache: contexts alone */
  uint64_t outside_bytes;      /**< cache: foreign memory and the overruns of all jobs */
  uint64_t foreign_bytes;      /**< of programs of no job; read by sg_foreign() */
  uint64_t largest_need_bytes; /**< of the admitted jobs, as of the last admission */
  uint32_t held_budgets;       /**< cache: how many jobs hold a budget here */
  _Atomic uint32_t waiting[SG_QUEUES]; /**< cache; read without the lock by who frees */
  char uuid[SCHEDGPU_UUID_SIZE];
  char name[SCHEDGPU_NAME_SIZE];
};

/** Written under the lock. The first line is what every look at the queue reads. */
struct sg_job {
  _Alignas(64) _Atomic uint32_t state; /**< written last at begin, SG_ENDING first at the end */
  uint32_t mode;                       /**< sealed */
  uint32_t device_mask;                /**< sealed */
  uint32_t held_mask; /**< devices whose whole budget is reserved; 0 or device_mask */
  uint32_t admitted;  /**< 1: its contexts are reserved on each of its devices */
  uint32_t processes; /**< sealed; how many contexts per device its admission reserves, 1 or more */
  uint32_t clients;   /**< cache: its attached processes */
  uint32_t waiting;   /**< cache: its requests that wait */
  uint32_t kind;      /**< sealed, as all up to budget_bytes */
  uint32_t uid;
  uint64_t id;
  int32_t priority;
  uint32_t flags;
  uint32_t owner_slot; /**< of an owned job */
  uint32_t owner_gen;
  uint64_t begun_ns;
  int64_t wait_ns;
  uint64_t budget_bytes[SCHEDGPU_MAX_DEVICES];
  char name[SCHEDGPU_NAME_SIZE]; /**< sealed */
  uint64_t seal;
  uint64_t reserved_bytes[SCHEDGPU_MAX_DEVICES]; /**< where held_mask has the bit: the budget, and
                                                    its overflow */
  uint64_t overrun_bytes[SCHEDGPU_MAX_DEVICES];  /**< on any device; read by sg_overrun() */
  /** while it holds memory of any device: how long before now it would have begun to, had it never
   * paused (account.c); else 0 */
  uint64_t held_since_ns;
  uint64_t held_ns;   /**< for how long it held before that */
  uint64_t waited_ns; /**< sum of its waits that are over */
  uint32_t waits;     /**< how many those are */
  uint32_t reserved;
  uint64_t ended_as; /**< while it ends: the sequence of its record in the ring */
  uint64_t peak_bytes[SCHEDGPU_MAX_DEVICES]; /**< most in use, contexts included (peaks.c) */
  /** cache; ondemand: leases of its clients and what was granted to them and not yet taken */
  uint64_t held_bytes[SCHEDGPU_MAX_DEVICES];
  uint64_t queued_bytes[SCHEDGPU_MAX_DEVICES];       /**< cache; ondemand: what it waits for */
  uint64_t context_used_bytes[SCHEDGPU_MAX_DEVICES]; /**< cache; of its clients, granted included */
  /** what it is known to need beside contexts, as of the last admission (admission.c) */
  uint64_t need_bytes[SCHEDGPU_MAX_DEVICES];
  uint64_t refused_bytes; /**< of the largest allocation that was refused (refusals.c) */
  uint32_t refusals;      /**< how many were, as far as they are noted */
  char spare[64];         /**< an odd number of cache lines, as a client has */
};

/**
 * Written under the lock by its owner; by others only to reap, to end its job, or to take back
 * unused lease. `lease` is also changed without the lock by its owner, one compare-and-swap at a
 * time.
 */
struct sg_client {
  _Alignas(64) _Atomic uint32_t state;
  _Atomic uint32_t gen; /**< bumped by whoever holds this slot's byte of the liveness file */
  uint32_t agen;        /**< gen of the process that activated the record: differs = dead */
  int32_t pid;          /**< for display only */
  uint64_t pid_namespace;
  uint32_t job; /**< index of the job, SG_NONE for the root side */
  uint32_t uid;
  uint64_t contexts[SCHEDGPU_MAX_DEVICES];      /**< bytes of this process's CUDA contexts */
  _Atomic uint64_t lease[SCHEDGPU_MAX_DEVICES]; /**< leased units << 32 | units in use */
  uint64_t
      idle_since_ns[SCHEDGPU_MAX_DEVICES]; /**< last free-to-zero; a stale value delays grace */
  uint64_t live_dev; /**< the liveness file in which this slot's byte is locked (liveness.c) */
  uint64_t live_ino;
  uint32_t gen_seal; /**< of gen and agen (sg_gen_seal): damaged ones say nothing of who is dead */
  uint32_t agen_seal;
  /** most units in use since its job's peaks were last noted; raised without the lock (peaks.c) */
  _Atomic uint32_t peak_units[SCHEDGPU_MAX_DEVICES];
  /** allocations that were refused and not yet noted << 32 | units of the largest ever; added to
   * without the lock (refusals.c) */
  _Atomic uint64_t refused;
  char spare[64]; /**< an odd number of cache lines: a scan of all records uses all of the cache */
};

/**
 * The request of the process in the same slot: it has one at a time. Taken and freed by it under
 * the lock; `state` is granted by others with one store.
 */
struct sg_waiter {
  _Alignas(64) _Atomic uint32_t state; /**< also the futex word its client sleeps on */
  uint32_t client;                     /**< the slot, again */
  uint32_t job;
  uint32_t device;      /**< that the request is about */
  uint32_t device_mask; /**< that must have room: all of the job's for a peak request */
  uint32_t kind;
  int32_t priority;
  uint32_t overtaken; /**< grants to younger waiters while it was the oldest */
  uint64_t ticket;
  uint64_t bytes; /**< of the request; a peak request needs the job's budgets */
  uint64_t since_ns;
  uint64_t deadline_ns;
};

/**
 * A job that ended; written under the lock. Whole if the sequence is that of its place and the seal
 * is right: whoever reads looks, and takes no other for one (ended.c). All of it is sealed.
 */
struct sg_ended {
  _Alignas(64) _Atomic uint64_t sequence; /**< 1 for the first job; written last, 0 before */
  uint64_t seal;
  uint64_t id;
  uint32_t kind;
  uint32_t uid;
  int32_t priority;
  uint32_t mode;
  uint32_t device_mask;
  uint32_t waits;
  uint64_t begun_ns;
  uint64_t ended_ns;
  uint64_t waited_ns;
  uint64_t held_ns;
  uint64_t budget_bytes[SCHEDGPU_MAX_DEVICES];
  uint64_t peak_bytes[SCHEDGPU_MAX_DEVICES];
  char name[SCHEDGPU_NAME_SIZE];
  uint64_t refused_bytes;
  uint32_t refusals;
};

/**
 * What the caches said when a repair began, which counts them anew: whoever takes over from a
 * repairer that was killed finds here what he knew.
 */
struct sg_before {
  _Atomic uint64_t seal; /**< written last; 0 before, and while nothing is mended */
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
  struct sg_before before;
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

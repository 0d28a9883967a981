/*
 * admin.h - the API of the root side: it sets the region up, begins and ends jobs, reaps, changes
 * the policy and reads. Used by prolog, epilog, SPANK plugin, `schedgpu` and the agent.
 *
 * Units, threads and errors as in schedgpu.h. A handle is shared between threads only with a lock
 * of the caller. Devices are numbered by their physical (NVML) index here.
 */
#ifndef SCHEDGPU_ADMIN_H
#define SCHEDGPU_ADMIN_H

#include "schedgpu.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SCHEDGPU_MAX_DEVICES 16
#define SCHEDGPU_MAX_JOBS 512
#define SCHEDGPU_MAX_CLIENTS 1024
#define SCHEDGPU_UUID_SIZE 48
#define SCHEDGPU_NAME_SIZE 64

/** docs/explanation/policies.md says what each does. */
enum schedgpu_policy {
  SCHEDGPU_POLICY_FIFO = 0,
  SCHEDGPU_POLICY_MMU = 1,
  SCHEDGPU_POLICY_PRIORITY_FIFO = 2,
  SCHEDGPU_POLICY_PRIORITY_MMU = 3,
  SCHEDGPU_POLICY_HPFW = 4,
  SCHEDGPU_POLICY_SM_HPFW = 5,
  SCHEDGPU_POLICY_RBDM = 6,
  SCHEDGPU_POLICY_RBDM_HPFW = 7,
  SCHEDGPU_POLICY_RBDM_SM_HPFW = 8,
};
#define SCHEDGPU_POLICIES 9 /* their number */

/** What happens to jobs that hold device memory and ask for more (docs/reference/rules.md). */
enum schedgpu_deadlock_rule {
  /** A wait that would close a cycle is refused at its start: EDEADLOCK. */
  SCHEDGPU_DEADLOCK_DETECT = 0,
  /**
   * In addition, jobs with a declared budget get an increment only if all of them could still
   * finish (safe state of the banker's algorithm). Otherwise they wait.
   */
  SCHEDGPU_DEADLOCK_AVOID = 1,
};

/** The origin of a job id: Slurm, or `schedgpu run`. */
enum schedgpu_job_kind { SCHEDGPU_JOB_SLURM = 1, SCHEDGPU_JOB_RUN = 2 };

/** One device, as NVML and the configuration describe it. */
struct schedgpu_device_spec {
  uint32_t index;                /**< physical index, 0 to 15 */
  uint32_t reserved;             /**< 0 */
  uint64_t total_bytes;          /**< NVML total */
  uint64_t reserved_bytes;       /**< kept by the driver, plus the site's safety margin */
  uint64_t context_bytes;        /**< overhead of one process's CUDA context */
  char uuid[SCHEDGPU_UUID_SIZE]; /**< "GPU-...", NUL terminated */
  char name[SCHEDGPU_NAME_SIZE];
};

/**
 * In place of a gid: only the owner may read or write the region (mode 0600); other users ask the
 * agent (docs/explanation/client-server.md).
 */
#define SCHEDGPU_GROUP_NONE (-2)

/** How the jobs of a lane take turns (docs/reference/lanes.md); NONE: the job uses no lane. */
enum schedgpu_lane_policy {
  SCHEDGPU_LANE_NONE = 0,
  SCHEDGPU_LANE_PACK = 1,
  SCHEDGPU_LANE_SRTF = 2,
  SCHEDGPU_LANE_FAIR = 3,
  SCHEDGPU_LANE_FIFO = 4,
  SCHEDGPU_LANE_SHARE = 5, /**< turns with the device itself, by weight; one lane for each device */
};
#define SCHEDGPU_LANE_POLICIES 6 /* their number */
/** "fair" for SCHEDGPU_LANE_FAIR; NULL if there is no such policy. */
SCHEDGPU_API const char *schedgpu_lane_policy_name(uint32_t policy);

/** The properties of a new region. */
struct schedgpu_setup {
  uint32_t policy;         /**< enum schedgpu_policy */
  uint32_t device_count;   /**< 0 to 16 */
  uint32_t overtake_limit; /**< how often the oldest waiter may be overtaken; 0 = no limit */
  int32_t group; /**< gid of the region (mode 0660), -1 (mode 0666) or SCHEDGPU_GROUP_NONE */
  uint32_t deadlock_rule; /**< enum schedgpu_deadlock_rule */
  uint32_t reserved;      /**< 0 */
  int64_t grace_ns;   /**< how long a peak reservation outlives its last use while others wait */
  int64_t quantum_ns; /**< of the turns of a lane; 0: 1 s */
  struct schedgpu_device_spec device[SCHEDGPU_MAX_DEVICES];
};

/** A job as the root side decided it; never copied from the job's environment. */
struct schedgpu_job_spec {
  uint64_t job_id;
  uint32_t kind; /**< enum schedgpu_job_kind */
  uint32_t uid;
  int32_t priority;     /**< 0 to 100 */
  uint32_t mode;        /**< enum schedgpu_mode */
  uint32_t device_mask; /**< bit i = physical device i; not 0 */
  uint32_t flags;       /**< SCHEDGPU_JOB_FLAG_... */
  uint32_t processes;   /**< how many of its processes use a device at once; 0 means 1 */
  /** enum schedgpu_lane_policy. A lane job has mode `peak`, one device, and no flag OVERFLOW_WAITS
   */
  uint32_t lane;
  uint32_t share;    /**< its weight under FAIR and SHARE, 1 to 1000; 0 means 1 */
  uint32_t reserved; /**< 0 */
  int64_t wait_ns;   /**< how long its allocations wait; SCHEDGPU_FOREVER */
  int64_t length_ns; /**< the run time that it is expected to have its turns for; 0: unknown */
  uint64_t persistent_bytes; /**< of a lane job, between iterations; at most its budget */
  uint64_t budget_bytes[SCHEDGPU_MAX_DEVICES]; /**< 0 = no budget (ondemand only) */
  char name[SCHEDGPU_NAME_SIZE];               /**< for display */
};
/**
 * The job ends by itself when its owner (the handle that began it) and all its clients are dead.
 */
#define SCHEDGPU_JOB_FLAG_OWNED 1u
/** Mode `peak` only: a request beyond the budget waits for more memory instead of EBUDGET. */
#define SCHEDGPU_JOB_FLAG_OVERFLOW_WAITS 2u
/** Only in a snapshot: an owned job whose owner and clients are dead; the next reap ends it. */
#define SCHEDGPU_JOB_FLAG_DEAD 4u

/** The result of a reap. */
struct schedgpu_reaped {
  uint32_t clients; /**< dead clients removed */
  uint32_t jobs;    /**< owned jobs that ended with their owner */
  uint64_t bytes;   /**< bytes that were freed */
  uint32_t granted; /**< waiters that were served */
  uint32_t reserved;
};

typedef struct schedgpu_admin schedgpu_admin;

/** The region as the kernel and its files describe it. */
struct schedgpu_region_info {
  int32_t shmid; /**< of the System V shared memory segment, as in ipcs(1) */
  uint32_t mode; /**< 0666, 0660 with RegionGroup, or 0600 with Mode=brokered */
  uint32_t uid;  /**< user id that created it */
  uint32_t gid;
  uint64_t attached;         /**< processes that have it mapped, this one included */
  uint64_t created_ns;       /**< CLOCK_MONOTONIC */
  uint64_t repairs;          /**< how often damage was found and repaired */
  int64_t checkpoint_age_ns; /**< -1: there is none, or this user may not read it */
  uint32_t live_right;       /**< 1: the liveness files exist and are those that the region names */
  uint32_t overcommitted;    /**< bit i: after a repair, more of device i is granted than it has */
};

/**
 * Creates the region in `run_dir` if there is none. Recovers a region whose descriptor or liveness
 * file was lost. Otherwise checks the existing region and adds new devices. A region of another
 * layout version is replaced if no process uses it; else EVERSION. Atomic against a second creator.
 * Does not disturb a region in use. Errors: EVERSION, ECORRUPT, EPERM, EOWNER, EKERNEL, ELOCK,
 * ESYSTEM, EINVAL.
 */
SCHEDGPU_API int schedgpu_admin_setup(const char *run_dir, const struct schedgpu_setup *setup);

/**
 * Removes the region of `run_dir`: the segment and all files, but not the directory. EINUSE if live
 * processes use it and `force` is 0. With `force` their waits end with ENOREGION, and the memory
 * that they hold is not recorded any more. ENOREGION: there was none (files that were left are
 * removed).
 */
SCHEDGPU_API int schedgpu_admin_remove(const char *run_dir, int force);

/**
 * Tests for a region of another layout version in `run_dir`, and counts the processes that use it.
 * OK: there is one; ENOREGION: it has our version, or there is none; EVERSION: it is too old to say
 * anything about it.
 */
SCHEDGPU_API int schedgpu_admin_other_layout(const char *run_dir, uint32_t *version,
                                             uint64_t *processes);

/** Opens the region; `*admin` is NULL on failure. Close with schedgpu_admin_close(). */
SCHEDGPU_API int schedgpu_admin_open(const char *run_dir, schedgpu_admin **admin);
SCHEDGPU_API void schedgpu_admin_close(schedgpu_admin *admin);

/** Reads what the kernel and the files say about the region. Takes no lock. */
SCHEDGPU_API int schedgpu_admin_region_info(schedgpu_admin *admin,
                                            struct schedgpu_region_info *info);

/**
 * Sets the time-out of the lock, after which calls return ELOCK (a stopped holder). Default 5 s.
 */
SCHEDGPU_API void schedgpu_admin_set_timeout(schedgpu_admin *admin, int64_t timeout_ns);

/**
 * The pid that held the lock at the last ELOCK, 0 if unknown; `state` gets its state letter in
 * /proc.
 */
SCHEDGPU_API int32_t schedgpu_admin_lock_holder(const schedgpu_admin *admin, char *state);

/**
 * Registers a job, or updates priority, wait, mode and budgets of a registered one (repeatable).
 * A budget larger than the device can give beside one context is ETOOBIG; no table is left half
 * written. EFULL if 512 jobs are registered, or of schedgpu run as many of
 * the user as are left for others (docs/reference/rules.md).
 */
SCHEDGPU_API int schedgpu_admin_job_begin(schedgpu_admin *admin,
                                          const struct schedgpu_job_spec *spec);

/**
 * Ends a job: removes its clients, requests and reservations, and serves waiters. May be repeated:
 * ENOJOB if the job is not (or no longer) there, which callers treat as done.
 */
SCHEDGPU_API int schedgpu_admin_job_end(schedgpu_admin *admin, uint32_t kind, uint64_t job_id);

/** 0 and `*spec` (may be NULL) filled if the job is registered, else ENOJOB. */
SCHEDGPU_API int schedgpu_admin_job_find(schedgpu_admin *admin, uint32_t kind, uint64_t job_id,
                                         struct schedgpu_job_spec *spec);

/** What a job has used so far. */
struct schedgpu_job_use {
  uint64_t
      peak_bytes[SCHEDGPU_MAX_DEVICES]; /**< most allocated at once, CUDA contexts not counted */
  uint64_t waited_ns;     /**< time in which any of its processes waited, in waits that are over */
  uint64_t refused_bytes; /**< largest allocation that was refused, at most a device's total */
  uint32_t refusals;      /**< how many were (docs/reference/remembered.md) */
  /** seconds for which a lane job had its turn, if it marked no iteration; 0: it did, or has no
   * lane */
  uint32_t unmarked_s;
  uint32_t shares_lane; /**< 1: it shares its lane, and its peak has what it maps of it */
  uint32_t untouched;   /**< 1: no process of it has had or asked for any memory of a device */
  uint64_t kept_bytes;  /**< of a lane job: the most that it had beside the memory of its lane */
};

/**
 * 0 and `*use` filled if the job is registered, else ENOJOB. Dead processes are included after a
 * reap.
 */
SCHEDGPU_API int schedgpu_admin_job_use(schedgpu_admin *admin, uint32_t kind, uint64_t job_id,
                                        struct schedgpu_job_use *use);

/**
 * Reads the devices of the region, without names, into `node->device`; the other fields are 0.
 * Reserved memory includes the site's SafetyMargin. Takes no lock.
 */
SCHEDGPU_API void schedgpu_admin_devices(schedgpu_admin *admin, struct schedgpu_setup *node);

/** Reaps dead clients and serves waiters. `reaped` may be NULL. */
SCHEDGPU_API int schedgpu_admin_reap(schedgpu_admin *admin, struct schedgpu_reaped *reaped);
/**
 * Reaps only if a client is dead, and does nothing if any process has scanned within the last 100
 * ms. For frequent callers: a scan of a thousand processes takes some milliseconds.
 */
SCHEDGPU_API int schedgpu_admin_reap_if_due(schedgpu_admin *admin);

/**
 * For the agent only. From the first call until the agent closes `admin` or ends, begins and ends
 * of jobs leave the checkpoint to it: they create RunDir/checkpoint.due. Writes the checkpoint if
 * that file exists; call it soon after the file appears. ESYSTEM: it could not be written and stays
 * due.
 */
SCHEDGPU_API int schedgpu_admin_answer(schedgpu_admin *admin);

/**
 * The number of clients that seem dead, so that a reap is due; at least 1 if the lock's owner is
 * dead. Takes no lock, and costs one system call per client.
 */
SCHEDGPU_API int schedgpu_admin_dead(schedgpu_admin *admin);
/**
 * The same for the root side only: hooks and commands, which lock RunDir/live.root and not
 * RunDir/live. On a full node a scan of all clients takes milliseconds, this one some microseconds.
 */
SCHEDGPU_API int schedgpu_admin_dead_of_root(schedgpu_admin *admin);

/** A number that changes whenever the region was written under its lock. Takes no lock. */
SCHEDGPU_API uint64_t schedgpu_admin_changes(schedgpu_admin *admin);

/**
 * Sets the overrun of a job on a device: memory in use by programs that bypass the preload library,
 * beyond everything that the job holds there. Absolute, in bytes, rounded up to 512 bytes, at most
 * the device's total; 0 clears it. Nothing is granted over it, even if more is in use than the
 * device can give; waits are never refused because of it. It ends with the job. `device` may be any
 * present device, as such a program may use another one than its job's. Lowering it serves waiters.
 * Errors: ENOJOB, EDEVICE.
 */
SCHEDGPU_API int schedgpu_admin_set_overrun(schedgpu_admin *admin, uint32_t kind, uint64_t job_id,
                                            uint32_t device, uint64_t bytes);

/**
 * Sets the memory in use by programs of no job, in bytes; as schedgpu_admin_set_overrun(). Errors:
 * EDEVICE.
 */
SCHEDGPU_API int schedgpu_admin_set_foreign(schedgpu_admin *admin, uint32_t device, uint64_t bytes);

/**
 * Updates the peak of each job: adds up what its processes had in use at most since the last call,
 * and resets that. For a job with several processes, frequent calls make it more exact; for one
 * process it is always exact. Adds refused allocations. Takes the lock only if there is something
 * to record.
 */
SCHEDGPU_API int schedgpu_admin_note_peaks(schedgpu_admin *admin);

/** Changes the policy while jobs run; waiters are served by the new one at once. EPERM: the caller
 * is not the owner of the region, usually root. */
SCHEDGPU_API int schedgpu_admin_set_policy(schedgpu_admin *admin, uint32_t policy);

/** Bytes of a snapshot (the size of the region). */
SCHEDGPU_API uint64_t schedgpu_snapshot_size(void);

/**
 * Copies a consistent snapshot of the region into `buffer` of schedgpu_snapshot_size() bytes;
 * schedgpu_layout_find() finds its fields. Takes no lock. ELOCK if writers never paused.
 */
SCHEDGPU_API int schedgpu_admin_snapshot(schedgpu_admin *admin, void *buffer, uint64_t size);

/** Offset (or size, count) of a named part of the layout, -1 if unknown; see region.h. */
SCHEDGPU_API int64_t schedgpu_layout_find(const char *name);
/** Name of the i-th entry of the layout table, NULL after the last. */
SCHEDGPU_API const char *schedgpu_layout_name(uint32_t i);

/** Checks every invariant under the lock. 0, or ECORRUPT with the reason in `text`. */
SCHEDGPU_API int schedgpu_admin_check(schedgpu_admin *admin, char *text, uint64_t size);

/** Name of a policy, NULL if unknown; and the reverse, -1 if unknown. */
SCHEDGPU_API const char *schedgpu_policy_name(uint32_t policy);
SCHEDGPU_API int schedgpu_policy_of_name(const char *name);

#ifdef __cplusplus
}
#endif
#endif

/*
 * admin.h - what the root side of a node does with the region: set it up, begin and end jobs, reap,
 * change the policy, look. Used by prolog, epilog, SPANK plugin, `schedgpu` and the agent.
 *
 * Units, threads and errors as in schedgpu.h. A handle is not shared between threads without a lock
 * of the caller's. Numbers of devices here are physical (NVML) indexes.
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

enum schedgpu_policy {
  SCHEDGPU_POLICY_FIFO = 0,
  SCHEDGPU_POLICY_MMU = 1,
  SCHEDGPU_POLICY_PRIORITY_FIFO = 2,
  SCHEDGPU_POLICY_PRIORITY_MMU = 3,
};

/** What is done about jobs that hold device memory and ask for more (docs/reference/rules.md). */
enum schedgpu_deadlock_rule {
  /** A wait that closes a cycle is refused when it would begin: EDEADLOCK. */
  SCHEDGPU_DEADLOCK_DETECT = 0,
  /** And jobs with a declared budget get an increment only while all of them could still finish
   * (the banker's condition): they wait instead of being refused. */
  SCHEDGPU_DEADLOCK_AVOID = 1,
};

/** Where a job id comes from: Slurm, or `schedgpu run` on a machine without it. */
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

/** Instead of a gid: nobody but the owner may read or write the region (mode 0600); the others ask
 * the agent (docs/explanation/client-server.md). */
#define SCHEDGPU_GROUP_NONE (-2)

/** What a new region is like. */
struct schedgpu_setup {
  uint32_t policy;         /**< enum schedgpu_policy */
  uint32_t device_count;   /**< 0 to 16 */
  uint32_t overtake_limit; /**< how often the oldest waiter may be overtaken; 0 = no limit */
  int32_t group; /**< gid of the region (mode 0660), -1 (mode 0666) or SCHEDGPU_GROUP_NONE */
  uint32_t deadlock_rule; /**< enum schedgpu_deadlock_rule */
  uint32_t reserved;      /**< 0 */
  int64_t grace_ns; /**< how long a peak reservation outlives its last use while others wait */
  struct schedgpu_device_spec device[SCHEDGPU_MAX_DEVICES];
};

/** A job as the root side decided it: never taken from the job's environment as it is. */
struct schedgpu_job_spec {
  uint64_t job_id;
  uint32_t kind; /**< enum schedgpu_job_kind */
  uint32_t uid;
  int32_t priority;     /**< 0 to 100 */
  uint32_t mode;        /**< enum schedgpu_mode */
  uint32_t device_mask; /**< bit i = physical device i; not 0 */
  uint32_t flags;       /**< SCHEDGPU_JOB_FLAG_... */
  uint32_t processes;   /**< how many of its processes use a device at once; 0 = 1 */
  uint32_t reserved;    /**< 0 */
  int64_t wait_ns;      /**< how long its allocations wait; SCHEDGPU_FOREVER */
  uint64_t budget_bytes[SCHEDGPU_MAX_DEVICES]; /**< 0 = no budget (ondemand only) */
  char name[SCHEDGPU_NAME_SIZE];               /**< for display */
};
/** The job ends by itself when its owner (the handle that began it) and all its clients are dead.
 */
#define SCHEDGPU_JOB_FLAG_OWNED 1u
/** Mode `peak` only: what would be EBUDGET waits for more memory than the budget instead. */
#define SCHEDGPU_JOB_FLAG_OVERFLOW_WAITS 2u
/** In a snapshot alone: an owned job whose owner and clients are dead; the next reap ends it. */
#define SCHEDGPU_JOB_FLAG_DEAD 4u

/** What a reap found. */
struct schedgpu_reaped {
  uint32_t clients; /**< dead clients removed */
  uint32_t jobs;    /**< owned jobs that ended with their owner */
  uint64_t bytes;   /**< given back */
  uint32_t granted; /**< waiters served by it */
  uint32_t reserved;
};

typedef struct schedgpu_admin schedgpu_admin;

/** The region as the kernel and its files describe it. */
struct schedgpu_region_info {
  int32_t shmid; /**< of the System V shared memory segment, as in ipcs(1) */
  uint32_t mode; /**< 0666, 0660 with RegionGroup, or 0600 with Mode=brokered */
  uint32_t uid;  /**< owner: who created it */
  uint32_t gid;
  uint64_t attached;         /**< processes that have it mapped, this one included */
  uint64_t created_ns;       /**< CLOCK_MONOTONIC */
  uint64_t repairs;          /**< how often damage was found and mended */
  int64_t checkpoint_age_ns; /**< -1: there is none, or this user may not look */
  uint32_t live_right;       /**< 1: the liveness files are there, and those the region names */
  uint32_t
      overcommitted; /**< bit i: more of device i is granted than it can give, after a repair */
};

/**
 * Creates the region in `run_dir` if there is none, finds one again whose descriptor or liveness
 * file was lost, or checks the one that is there and adds devices it does not know. One of another
 * layout version is replaced if no process uses it; else EVERSION. Atomic against a second creator.
 * Does not disturb a region in use.
 * Errors: EVERSION, ECORRUPT, EPERM, EOWNER, EKERNEL, ELOCK, ESYSTEM, EINVAL.
 */
SCHEDGPU_API int schedgpu_admin_setup(const char *run_dir, const struct schedgpu_setup *setup);

/**
 * Removes the region of `run_dir`: the segment and all files, but not the directory. EINUSE if
 * living processes use it and `force` is 0; with `force` their waits end with ENOREGION, and what
 * they hold is known to nobody. ENOREGION: there was none (files that were left are removed).
 */
SCHEDGPU_API int schedgpu_admin_remove(const char *run_dir, int force);

/**
 * Whether the region of `run_dir` is of another layout version, and how many processes use it. OK
 * if so; ENOREGION: it is of ours, or there is none; EVERSION: it is so old that nothing is known.
 */
SCHEDGPU_API int schedgpu_admin_other_layout(const char *run_dir, uint32_t *version,
                                             uint64_t *processes);

/** Opens the region; `*admin` is NULL on failure. Close with schedgpu_admin_close(). */
SCHEDGPU_API int schedgpu_admin_open(const char *run_dir, schedgpu_admin **admin);
SCHEDGPU_API void schedgpu_admin_close(schedgpu_admin *admin);

/** What the kernel and the files say about the region. Takes no lock. */
SCHEDGPU_API int schedgpu_admin_region_info(schedgpu_admin *admin,
                                            struct schedgpu_region_info *info);

/** How long the lock may take before ELOCK (a stopped holder); default 5 s. */
SCHEDGPU_API void schedgpu_admin_set_timeout(schedgpu_admin *admin, int64_t timeout_ns);

/** pid of who sat on the lock after ELOCK, 0 if unknown; `state` gets its /proc state letter. */
SCHEDGPU_API int32_t schedgpu_admin_lock_holder(const schedgpu_admin *admin, char *state);

/**
 * Registers a job, or updates priority, wait, mode and budgets of a registered one (repeatable).
 * A budget larger than the device can give beside one context is ETOOBIG; no table is left half
 * written. EFULL if 512 jobs are registered.
 */
SCHEDGPU_API int schedgpu_admin_job_begin(schedgpu_admin *admin,
                                          const struct schedgpu_job_spec *spec);

/**
 * Ends a job: its clients, waiters and reservations go, whoever waited is served. Repeatable:
 * ENOJOB if it is not (or no longer) there, which callers treat as done.
 */
SCHEDGPU_API int schedgpu_admin_job_end(schedgpu_admin *admin, uint32_t kind, uint64_t job_id);

/** 0 and `*spec` (may be NULL) filled if the job is registered, else ENOJOB. */
SCHEDGPU_API int schedgpu_admin_job_find(schedgpu_admin *admin, uint32_t kind, uint64_t job_id,
                                         struct schedgpu_job_spec *spec);

/** What a job has used so far. */
struct schedgpu_job_use {
  uint64_t peak_bytes[SCHEDGPU_MAX_DEVICES]; /**< most in use at once, CUDA contexts included */
  uint64_t waited_ns;                        /**< sum of its waits that are over */
  uint64_t refused_bytes; /**< largest allocation that was refused, at most a device's total */
  uint32_t refusals;      /**< how many were (docs/reference/remembered.md) */
  uint32_t reserved;
};

/** 0 and `*use` filled if the job is registered, else ENOJOB. Of its dead, after a reap. */
SCHEDGPU_API int schedgpu_admin_job_use(schedgpu_admin *admin, uint32_t kind, uint64_t job_id,
                                        struct schedgpu_job_use *use);

/**
 * The devices of the region, without names, into `node->device`; the rest of it is 0. What is
 * reserved is with the site's SafetyMargin. Takes no lock.
 */
SCHEDGPU_API void schedgpu_admin_devices(schedgpu_admin *admin, struct schedgpu_setup *node);

/** Removes the dead, serves the waiters. `reaped` may be NULL. */
SCHEDGPU_API int schedgpu_admin_reap(schedgpu_admin *admin, struct schedgpu_reaped *reaped);
/**
 * The same where somebody is dead; nothing if anybody has looked within the last 100 ms. A look
 * costs some milliseconds where a thousand processes are attached: for those who come often.
 */
SCHEDGPU_API int schedgpu_admin_reap_if_due(schedgpu_admin *admin);

/**
 * For the agent alone: from the first call on, until it closes `admin` or ends, begins and ends of
 * jobs leave the checkpoint to it, by making RunDir/checkpoint.due; writes the checkpoint if that
 * file is there. To be called soon after it was made. ESYSTEM: it could not be written; it is due
 * still.
 */
SCHEDGPU_API int schedgpu_admin_answer(schedgpu_admin *admin);

/**
 * How many processes look dead: then a reap is due. At least 1 also if the lock's owner is dead.
 * Takes no lock, and costs a system call for each process.
 */
SCHEDGPU_API int schedgpu_admin_dead(schedgpu_admin *admin);
/**
 * The same of the root side alone: hooks and tools, who lock RunDir/live.root and not RunDir/live.
 * On a full node a look at all of them takes milliseconds, at these alone some microseconds.
 */
SCHEDGPU_API int schedgpu_admin_dead_of_root(schedgpu_admin *admin);

/** Another number whenever the region was written under its lock. Takes no lock. */
SCHEDGPU_API uint64_t schedgpu_admin_changes(schedgpu_admin *admin);

/**
 * Device memory that processes of the job have in use beyond all that it holds or reserved there:
 * of programs that go around the preload library. An absolute value, rounded up to 512 bytes, at
 * most the device's total; 0 clears it. Nothing is granted over it, however much more is in use
 * then than can be; waits are never refused because of it. It ends with the job. `device` may be
 * any that is present: such a program may use one that is not its job's. When it was lowered,
 * whoever waits is served. Errors: ENOJOB, EDEVICE.
 */
SCHEDGPU_API int schedgpu_admin_set_overrun(schedgpu_admin *admin, uint32_t kind, uint64_t job_id,
                                            uint32_t device, uint64_t bytes);

/** Device memory in use by programs of no job; as schedgpu_admin_set_overrun(). Errors: EDEVICE. */
SCHEDGPU_API int schedgpu_admin_set_foreign(schedgpu_admin *admin, uint32_t device, uint64_t bytes);

/**
 * Adds up what the processes of each job had in use at most since this was last called, as the most
 * that the job had, and begins anew. The more often, the closer to the truth where a job has
 * several processes; for one it is exact anyway. Adds the allocations that they were refused. Takes
 * the lock only if there is anything to note.
 */
SCHEDGPU_API int schedgpu_admin_note_peaks(schedgpu_admin *admin);

/** Changes the policy while jobs run; waiters are served by the new one at once. */
SCHEDGPU_API int schedgpu_admin_set_policy(schedgpu_admin *admin, uint32_t policy);

/** Bytes of a snapshot (the size of the region). */
SCHEDGPU_API uint64_t schedgpu_snapshot_size(void);

/**
 * Copies a consistent picture of the region into `buffer` of schedgpu_snapshot_size() bytes; its
 * fields are found by schedgpu_layout_find(). Takes no lock; ELOCK if writers never paused.
 */
SCHEDGPU_API int schedgpu_admin_snapshot(schedgpu_admin *admin, void *buffer, uint64_t size);

/** Offset (or size, count) of a named part of the layout, -1 if unknown; see region.h. */
SCHEDGPU_API int64_t schedgpu_layout_find(const char *name);
/** Name of the i-th entry of the layout table, NULL after the last. */
SCHEDGPU_API const char *schedgpu_layout_name(uint32_t i);

/** Checks every invariant under the lock; 0 or ECORRUPT, with `text` saying what. */
SCHEDGPU_API int schedgpu_admin_check(schedgpu_admin *admin, char *text, uint64_t size);

/** Name of a policy, NULL if unknown; and back: -1 if unknown. */
SCHEDGPU_API const char *schedgpu_policy_name(uint32_t policy);
SCHEDGPU_API int schedgpu_policy_of_name(const char *name);

#ifdef __cplusplus
}
#endif
#endif

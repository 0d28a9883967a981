/*
 * schedgpu.h - the client API of schedGPU.
 *
 * A process reserves device memory before it allocates it. A request that does not fit waits in a
 * queue instead of failing. Budgets belong to jobs: the processes of a job share one budget per
 * device.
 *
 * Units: sizes are bytes, accounted in units of 512 bytes, rounded up (the granularity of
 * cudaMalloc). Times are nanoseconds of CLOCK_MONOTONIC. Devices are numbered as the process sees
 * them: ordinal k is the k-th entry of SCHEDGPU_DEVICES, else the k-th device of the node.
 *
 * Thread-safety: every function may be called by any thread at any time, except from a signal
 * handler. No thread is cancelled inside a call. A forked child starts detached and attaches at its
 * first call. A call needs up to 64 KiB of the thread's stack.
 *
 * Errors: functions that can fail return 0 or a negative schedgpu_error; schedgpu_strerror() says
 * what to do about it. No function ends or signals its process, or prints to stdout.
 */
#ifndef SCHEDGPU_H
#define SCHEDGPU_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SCHEDGPU_API __attribute__((visibility("default")))

/** One list of error codes for C, Java and the reference page (docs/reference/errors.md). */
enum schedgpu_error {
  SCHEDGPU_OK = 0,
  SCHEDGPU_EINVAL = -1,    /**< an argument is out of its range */
  SCHEDGPU_ENOREGION = -2, /**< no region on this node: was the prolog or `schedgpu setup` run? */
  SCHEDGPU_EVERSION = -3,  /**< the region has another layout version: never used */
  SCHEDGPU_ECORRUPT = -4,  /**< the region fails its checks */
  SCHEDGPU_EPERM = -5,     /**< the process may not use the region */
  SCHEDGPU_ENOJOB = -6,    /**< the job is not registered on this node, or has ended */
  SCHEDGPU_EDEVICE = -7,   /**< the job has no such device */
  SCHEDGPU_ETOOBIG = -8,   /**< more than the device can ever give */
  SCHEDGPU_EBUDGET = -9,   /**< more than what is left of the job's budget */
  SCHEDGPU_EWOULDBLOCK = -10, /**< does not fit now, and the call may not wait */
  SCHEDGPU_ETIMEDOUT = -11,   /**< still did not fit when the time was over */
  SCHEDGPU_EFULL = -12,       /**< a table of the region is full, or the share of this user */
  SCHEDGPU_ELOCK = -13, /**< the lock was not released in time: its holder is stopped, or starved */
  SCHEDGPU_ESYSTEM = -14,    /**< a system call failed: see errno */
  SCHEDGPU_EUNDERFLOW = -15, /**< released more than was reserved; nothing was changed */
  SCHEDGPU_EUSER = -16,      /**< the job belongs to another user */
  SCHEDGPU_EDEADLOCK = -17,  /**< the wait could never end: all holders of memory would wait */
  SCHEDGPU_EOWNER = -18,     /**< the region belongs to a user who is neither root nor you */
  SCHEDGPU_EINUSE = -19,     /**< live processes use the region that is to be removed */
  SCHEDGPU_EKERNEL = -20,    /**< kernel.shm_rmid_forced would remove the region under us */
  SCHEDGPU_EAGENT = -21,     /**< only the agent may write the region, and it does not answer */
  SCHEDGPU_EBUSY = -22,      /**< internal: another thread of the process waits */
  SCHEDGPU_EKEPT = -23, /**< the turn was kept: the process uses more than its persistent memory */
  SCHEDGPU_ETURN = -24, /**< the call needs the turn of its lane first */
};

/** Waits without a limit. */
#define SCHEDGPU_FOREVER INT64_C(-1)
/** Uses the job's own wait (its --schedgpu-wait, else the site's). */
#define SCHEDGPU_JOB_WAIT INT64_C(-2)
/** Does not wait at all: SCHEDGPU_EWOULDBLOCK if the request does not fit now. */
#define SCHEDGPU_NO_WAIT INT64_C(0)

#define SCHEDGPU_LANE_TURN 1    /* of its lane */
#define SCHEDGPU_COMPUTE_TURN 2 /* of the device, as the job has a share */

/**
 * State of a wait, when it starts and again when it ends. If `lock_holder_pid` is not 0, this is
 * not a wait for memory: that process has held the region's lock for seconds (perhaps it is
 * stopped), and no other field is set.
 */
struct schedgpu_wait_notice {
  int device;              /**< ordinal in this process */
  int region_device;       /**< physical device on the node */
  uint64_t request_bytes;  /**< size of the request */
  uint64_t free_bytes;     /**< free memory of the device when the wait started */
  uint32_t place;          /**< place in the queue, 1 = oldest */
  uint32_t is_context;     /**< 1 if the request is for a CUDA context */
  uint64_t holder_job_id;  /**< job of the same user that holds most of the device, 0 if none */
  uint32_t holder_uid;     /**< user of that job */
  uint32_t holders;        /**< number of jobs that hold memory of the device */
  uint64_t waited_ns;      /**< 0 at the start */
  int ended;               /**< 0 at the start, 1 at the end */
  int result;              /**< at the end: SCHEDGPU_OK or the error */
  int32_t lock_holder_pid; /**< -1: the agent does not answer (client-server mode) */
  char lock_holder_state;  /**< as in /proc/PID/stat: T = stopped */
  /** not 0: has waited for seconds for a turn, which `holder_job_id` has: SCHEDGPU_LANE_TURN or
   * SCHEDGPU_COMPUTE_TURN */
  uint32_t is_turn;
};
typedef void (*schedgpu_wait_observer)(const struct schedgpu_wait_notice *notice, void *argument);

/** The job of the calling process on one device. */
struct schedgpu_info {
  uint64_t total_bytes; /**< memory that the device can give to jobs (total - reserves - margin) */
  /** the job's budget, 0 = none declared; if it shares its lane, its persistent memory */
  uint64_t budget_bytes;
  uint64_t job_used_bytes; /**< allocated by all processes of the job */
  uint64_t own_used_bytes; /**< allocated by this process */
  uint64_t context_bytes;  /**< overhead of one CUDA context */
  uint32_t mode;           /**< SCHEDGPU_MODE_... */
  int32_t priority;        /**< 0 (low) to 100 (high) */
  uint64_t job_id;
  uint64_t job_context_bytes; /**< memory of the job's CUDA contexts, at least those of its declared
                                 processes */
};

enum schedgpu_mode {
  SCHEDGPU_MODE_PEAK = 1,     /**< the whole budget at the first allocation */
  SCHEDGPU_MODE_ONDEMAND = 2, /**< each allocation as it comes */
  SCHEDGPU_MODE_GATE = 3,     /**< the whole budget before the job's first task starts */
};

/**
 * Attaches the process to the region of SCHEDGPU_RUN_DIR (an absolute path, else EINVAL; default
 * /run/schedgpu) as a client of the job named by SCHEDGPU_JOB. Idempotent. The other functions
 * attach by themselves when needed.
 */
SCHEDGPU_API int schedgpu_attach(void);

/**
 * Releases everything that this process holds, as its end does, however it ends. Other threads may
 * be in any call; a thread that waits gets ENOJOB.
 */
SCHEDGPU_API int schedgpu_detach(void);

/** 1 if this process is attached (a forked child is not), else 0. Never blocks. */
SCHEDGPU_API int schedgpu_is_attached(void);

/**
 * Reserves `bytes` on `device`, and waits up to `timeout_ns` (or SCHEDGPU_FOREVER,
 * SCHEDGPU_JOB_WAIT, SCHEDGPU_NO_WAIT) if they do not fit. In mode `peak` the first call reserves
 * the job's whole budget, and calls inside the budget take no lock.
 *
 * One request of a process waits at a time. Meanwhile, other threads that need more than the
 * process has leased wait for their turn, even if their request would fit.
 *
 * If a live process holds the region's lock (because it is stopped), the observer is called after 3
 * s. A call with a deadline then waits only until that (ELOCK). Calls that release something wait
 * for the lock without a limit. If the region is removed or replaced, a wait ends with ENOREGION.
 *
 * EBUDGET and ETOOBIG are counted for the job as refused allocations, so that a learned budget
 * takes into account that the job could have used more.
 *
 * Errors: EBUDGET, ETOOBIG, EWOULDBLOCK, ETIMEDOUT, EDEADLOCK, EDEVICE, ELOCK, ENOREGION, and those
 * of attaching.
 */
SCHEDGPU_API int schedgpu_reserve(int device, uint64_t bytes, int64_t timeout_ns);

/**
 * schedgpu_reserve() without waiting, for a caller that can handle a failure. A refusal is not
 * counted.
 */
SCHEDGPU_API int schedgpu_try_reserve(int device, uint64_t bytes);

/**
 * Mode `gate`: waits until the job's whole budget is reserved on all of its devices, together with
 * the contexts of its processes. It stays reserved until the job ends, even if this process ends.
 * Returns at once if it is reserved already. Called by the process that starts the job's programs;
 * the programs themselves need no call.
 *
 * Errors: EINVAL if the job's mode is not `gate`; else as schedgpu_reserve().
 */
SCHEDGPU_API int schedgpu_gate(int64_t timeout_ns);

/** Releases `bytes` that were reserved before, and serves the waiters. */
SCHEDGPU_API int schedgpu_release(int device, uint64_t bytes);

/**
 * Reserves one CUDA context of this process on `device`. The first one of a job admits the job:
 * next to all contexts, the largest budget among the admitted jobs must still fit (Salus, section
 * 3.3.2; docs/explanation/architecture.md). Calls nest; only the first one costs memory. Threads
 * that enter at the same time wait for the first of them.
 */
SCHEDGPU_API int schedgpu_context_enter(int device, int64_t timeout_ns);
SCHEDGPU_API int schedgpu_context_leave(int device);

/**
 * Begins an iteration of a lane job (`--schedgpu-lane`): waits up to `timeout_ns` (as
 * schedgpu_reserve()) until the process has the turn of its lane on `device`. The first one also
 * waits until the job is assigned a lane. Does nothing (OK) if the process has the turn already, or
 * if its job has no lane. Without contention it takes no lock.
 *
 * A process that marks no iterations is one long iteration: it gets the turn when it first reserves
 * more than its persistent memory.
 *
 * Errors: ETIMEDOUT, EWOULDBLOCK, and those of schedgpu_reserve(). docs/reference/lanes.md.
 */
SCHEDGPU_API int schedgpu_iteration_begin(int device, int64_t timeout_ns);
/**
 * Ends an iteration. If another process waits and comes first, the turn is handed over. The
 * iteration's kernels must have ended: synchronize the context before. EKEPT: another process
 * waits, but this one has more in use than its persistent memory, so it keeps the turn; release
 * memory and call it again, or go on. OK without a turn, or without a lane. A process has one turn,
 * whichever thread begins or ends the iteration.
 */
SCHEDGPU_API int schedgpu_iteration_end(int device);
/**
 * 1 if this process has the turn of its lane and should free what it only caches before it ends the
 * iteration: another process waits, or it is the first iteration of the job, or the job declared no
 * persistent memory and these are its first iterations, after which it is measured. Else 0. Never
 * blocks, takes no lock.
 */
SCHEDGPU_API int schedgpu_turn_wanted(int device);
/**
 * The job of this process shares the memory of its lane from now on: the members of the lane, all
 * of one user, map one physical memory instead of allocating and freeing in turns
 * (docs/reference/lanes.md). Then its processes get at most their persistent memory by themselves;
 * the rest of the budget is `schedgpu_lane_memory`. Call it before the job reserves anything.
 *
 * Errors: EINVAL: no lane job, one that declared no persistent memory, or one that has reserved
 * memory already; EDEVICE, and those of attaching. After an error the job uses its lane as before.
 */
SCHEDGPU_API int schedgpu_lane_share(int device);
/**
 * The type of `schedgpu_preload_function("lane_memory")`, which only the preload library has. Gives
 * the address and the size of the shared lane in this process; the first call maps it, in an
 * iteration and with a CUDA context of `device` current. Its content is undefined after a turn of
 * another process, and must not be touched outside of iterations.
 *
 * Errors: EINVAL: the job shares no lane; ETURN: not in an iteration; EBUDGET: the lane is smaller
 * than 16 MiB; EDEVICE; ETIMEDOUT: a process that has the memory does not pass it on; ESYSTEM: the
 * driver refuses. A line on standard error says more.
 */
typedef int (*schedgpu_lane_memory_function)(int device, uint64_t *address, uint64_t *bytes);
/**
 * Fills `info` for `device`. Takes the region's lock only to remove dead processes of the job, and
 * does not wait for it, except for some seconds if another thread of this process waits for it.
 */
SCHEDGPU_API int schedgpu_query(int device, struct schedgpu_info *info);

/**
 * Writes one line about the jobs that hold memory of `device`, and which of them wait: "job 7 (uid
 * 1000) holds 5.0 GiB and waits for 3.0 GiB, job 8 (uid 1000, this one) holds 4.0 GiB". Cut off at
 * `size` bytes; empty if no job holds memory. For messages only, as it is read without the lock.
 * Errors: EDEVICE, EINVAL, ENOJOB if this process is not attached.
 */
SCHEDGPU_API int schedgpu_holders(int device, char *text, size_t size);

/** Ordinal of the device with this NVML UUID ("GPU-..."), or a negative error. */
SCHEDGPU_API int schedgpu_device_of_uuid(const char *uuid);

/** Sets the observer, called without a lock when a wait starts and ends; NULL for none. */
SCHEDGPU_API void schedgpu_set_wait_observer(schedgpu_wait_observer observer, void *argument);

/** The observer that prints one line to stderr when a wait starts and one when it ends. */
SCHEDGPU_API void schedgpu_print_wait(const struct schedgpu_wait_notice *notice, void *argument);

/** A message that says what went wrong and what to do. Never NULL. */
SCHEDGPU_API const char *schedgpu_strerror(int error);
/** "EBUDGET" for SCHEDGPU_EBUDGET. Never NULL. */
SCHEDGPU_API const char *schedgpu_error_name(int error);

/**
 * Parses a size: `512M`, `6G`, `6GiB`, a bare number is MiB, as in Slurm; `40%` only if
 * `total_bytes` > 0 (of that). Returns 0, or EINVAL and leaves `bytes` alone.
 */
SCHEDGPU_API int schedgpu_parse_bytes(const char *text, uint64_t total_bytes, uint64_t *bytes);

/** Parses `500ms`, `30s`, `5m`, `2h`, `30d`, `MM:SS`, `HH:MM:SS`, `forever`; a bare number:
 * seconds. */
SCHEDGPU_API int schedgpu_parse_time(const char *text, int64_t *ns);

/** Parses `low` (10), `normal` (50), `high` (90) or 0 to 100. */
SCHEDGPU_API int schedgpu_parse_priority(const char *text, int32_t *priority);

/** Formats `bytes` as GiB with one decimal ("6.0 GiB"), or as MiB ("20 MiB") if that would be 0.0,
 * into `text` of at least 24 bytes. */
SCHEDGPU_API char *schedgpu_format_bytes(uint64_t bytes, char *text);

#ifdef __cplusplus
}
#endif
#endif

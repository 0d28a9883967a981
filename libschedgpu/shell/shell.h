/*
 * shell.h - what surrounds the pure core: the segment, the lock, who is alive, clock, futex. One
 * handle is one slot of the region. Internal to libschedgpu.
 */
#ifndef SG_SHELL_H
#define SG_SHELL_H

#include "../core/core.h"
#include <limits.h>
#include <sys/types.h>

#define SG_REGION_FILE "region"
/** Of the clients, and of the root side: that one is short, so that a hook's byte costs it nothing.
 */
#define SG_LIVE_FILE "live"
#define SG_ROOT_LIVE_FILE "live.root"
/** In it one liveness file for each client that the agent serves, named by its slot. */
#define SG_SERVED_DIR "served"
/*
 * Slots of the root side come first: scans end behind the highest one in use. The first of them is
 * taken by setup alone, under its own lock: it may have to work while its file is not right.
 */
#define SG_SETUP_SLOT 0u
#define SG_FIRST_ADMIN 1u
#define SG_FIRST_CLIENT SG_ADMIN_SLOTS

/** A mapped region and, once attached, the slot of this process in it. */
struct sg_handle {
  struct sg_region *r; /**< NULL: not open */
  bool writable;
  uint32_t slot; /**< SG_NONE: not attached */
  uint32_t gen;  /**< of the slot, since this process took it */
  uint32_t word; /**< what this slot writes into the lock word */
  void *live;    /**< mapping that keeps this slot's byte of the liveness file locked */
  bool attached; /**< the slot's record is this process's */
  uint64_t pid_namespace;
  uint64_t live_dev; /**< with live_ino: the liveness file in which that byte is locked */
  uint64_t live_ino;
  bool mending; /**< this is setup, and the liveness file is newer than the header says */
  char run_dir[PATH_MAX];
  int32_t shmid;
  uint64_t size;       /**< of the segment */
  uint64_t created_ns; /**< as the descriptor has it */
  dev_t dev;           /**< with ino: which descriptor led here */
  ino_t ino;
  int32_t lock_holder; /**< pid of who sat on the lock at the last ELOCK */
  int cancel_state;    /**< of the thread that holds the lock, before it took it */
};

/* --- region_file.c --- */
/** Maps the region of `run_dir`, read-only if it may not be written. ENOREGION, EPERM, EOWNER,
 * EVERSION, ECORRUPT... */
int sg_open(struct sg_handle *h, const char *run_dir);
struct sg_descriptor;
/** As sg_open(), where the descriptor leads. */
int sg_attach_described(struct sg_handle *h, const char *run_dir, const struct sg_descriptor *d);
/**
 * As sg_open(), but keeps the mapping that `h` has if it is of this very region, and leaves any
 * other mapped: other threads may still be looking at it. On failure `h` stays as it is.
 */
int sg_reopen(struct sg_handle *h, const char *run_dir);
/** Whether the path still leads to the mapped region. Anything uncertain counts as yes. */
bool sg_region_there(const struct sg_handle *h);
void sg_close(struct sg_handle *h);

/* --- owner.c --- */
/** Whether what belongs to this user is believed: root's and one's own. */
bool sg_trusted_owner(uid_t owner);
/**
 * The real user of this process; 0 in a user namespace that maps nobody, where no process can know
 * its own. Who may write the region could write any number.
 */
uint32_t sg_own_uid(void);

/* --- create.c --- */
/**
 * Sees to it that the region is there: creates it, or adopts one whose descriptor was lost, and
 * puts a damaged header right; and that the liveness file is the one it names. `setup` NULL: only
 * mends what is there.
 */
int sg_prepare(const char *run_dir, const struct schedgpu_setup *setup);
/** Removes the region and its files. EINUSE if living processes use it, unless `force`. */
int sg_remove(const char *run_dir, bool force);

/* --- liveness.c: the mapped OFD lock (docs/explanation/liveness.md) --- */
/** Takes a free slot in [first, end), lowest first; fills slot, word and live. EFULL, ESYSTEM;
 * ECORRUPT if the liveness file is not the one that the region names. */
int sg_slot_take(struct sg_handle *h, uint32_t first, uint32_t end);
/**
 * Under the lock: whether the slot is still this process's, after the liveness file was replaced.
 * If so it is locked in the new one, too.
 */
bool sg_slot_renew(struct sg_handle *h);
/** Whether the slot is locked in the file that the region names now. */
static inline bool sg_slot_current(const struct sg_handle *h) {
  return (h->live_ino == sg_live_ino(h->r, h->slot) && h->live_dev == h->r->h.live_dev) ||
         h->mending;
}
/** Lets go of the slot: from here on it counts as dead. */
void sg_slot_drop(struct sg_handle *h);
/** Whether the process that activated `slot` is dead. Anything uncertain counts as alive. */
bool sg_slot_dead(const struct sg_handle *h, uint32_t slot);
/** Whether the process that wrote lock word `word` is dead. */
bool sg_owner_dead(const struct sg_handle *h, uint32_t word);
/** Finds slots of the dead without the lock; returns how many are in `slot`. */
uint32_t sg_find_dead(const struct sg_handle *h, uint16_t *slot, uint32_t capacity);
/** The same of the root side alone: they are few, and have a liveness file of their own. */
uint32_t sg_find_dead_of_root(const struct sg_handle *h, uint16_t *slot, uint32_t capacity);
/**
 * Whether anybody is dead, as far as whoever comes may look: not again within `period_ns`, nor so
 * often that looks take more than a twentieth of a CPU. One caller at a time gets true.
 */
bool sg_dead_scan_due(struct sg_region *r, uint64_t now_ns, uint64_t period_ns);
/** Whether anybody is dead; to be asked when it is due. Takes no lock. */
bool sg_dead_scan(const struct sg_handle *h);
/** Whether a process of one job is dead, besides us; to be asked at any time. Takes no lock. */
bool sg_dead_scan_job(const struct sg_handle *h, uint32_t job);
/**
 * Whether an owned job's owner and all its processes are dead: the next reap ends it. `job` is a
 * copy of record `j`. Takes no lock.
 */
bool sg_job_dead(const struct sg_handle *h, const struct sg_job *job, uint32_t j);
struct sg_living;
/** Living processes whose record says that it is free: at most SG_SLOTS, of which it says how many.
 */
uint32_t sg_find_unrecorded(const struct sg_handle *h, struct sg_living *living);
/**
 * Under the lock: whether the process that was served in `slot` by that liveness file lives, and
 * nobody else has the slot. To be asked where its record does not say so; needs root.
 */
bool sg_broker_client_lives(const struct sg_handle *h, uint32_t slot, uint64_t live_dev,
                            uint64_t live_ino);
/** Whether the file in which these slots are locked is the one that the region names. */
bool sg_live_file_right(const struct sg_handle *h, uint32_t slot);
/** Whether both are. */
bool sg_live_right(const struct sg_handle *h);
/** No fork of this process begins in between. */
void sg_forbid_forks(void);
void sg_allow_forks(void);

/* --- lock.c --- */
/**
 * 0, or ELOCK after `timeout_ns` (SCHEDGPU_FOREVER) with h->lock_holder. Recovers after the dead.
 * Until sg_unlock() the thread cannot be cancelled: its lock would never be free again.
 */
int sg_lock(struct sg_handle *h, int64_t timeout_ns);
void sg_unlock(struct sg_handle *h);
/** Unlocks, then wakes: in this order nobody wakes up only to wait for the lock. */
void sg_unlock_and_wake(struct sg_handle *h, const struct sg_wakes *wakes);
/** Mends damage, removes the dead and serves the waiters; the caller holds the lock. ECORRUPT. */
int sg_reap_locked(struct sg_handle *h, struct sg_wakes *wakes, struct schedgpu_reaped *reaped);
/** Removes the dead, under the lock taken here; `reaped` may be NULL. */
int sg_reap(struct sg_handle *h, int64_t timeout_ns, struct schedgpu_reaped *reaped);

/* --- sys.c --- */
uint64_t sg_now_ns(void);
/** Sleeps while *word == expected; false after `ns`. */
bool sg_futex_wait(_Atomic uint32_t *word, uint32_t expected, uint64_t ns);
void sg_futex_wake(_Atomic uint32_t *word, int count);
/** True only if there certainly is no such process: it is of this PID namespace, and gone or a
 * zombie. */
bool sg_process_gone(int32_t pid, uint64_t pid_namespace);
/** State letter of /proc/PID/stat, '?' if unknown. */
char sg_proc_state(int32_t pid);
uint64_t sg_pid_namespace(void);

#endif

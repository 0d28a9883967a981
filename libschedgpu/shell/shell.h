/*
 * shell.h - everything around the pure core: the segment, the lock, liveness, clock and futex. One
 * handle is one slot of the region. Internal to libschedgpu; knows nothing of CUDA and Slurm.
 */
#ifndef SG_SHELL_H
#define SG_SHELL_H

#include "../core/rules/core.h"
#include <limits.h>
#include <sys/types.h>

#define SG_REGION_FILE "region"
/**
 * Liveness files of the clients and of the root side. The second one is short, so that locking a
 * byte costs a hook nothing.
 */
#define SG_LIVE_FILE "live"
#define SG_ROOT_LIVE_FILE "live.root"
/** Folder with one liveness file for each broker client, named by its slot. */
#define SG_BROKER_CLIENTS_DIR "served"
/*
 * Slots of the root side come first, because scans end behind the highest slot in use. Only setup
 * takes the first one, under its own lock: it may have to work while its file is wrong.
 */
#define SG_SETUP_SLOT 0u
#define SG_FIRST_ADMIN 1u
#define SG_FIRST_CLIENT SG_ADMIN_SLOTS

/** A mapped region and, once attached, the slot of this process in it. */
struct sg_handle {
  struct sg_region *r; /**< NULL: not open */
  bool writable;
  uint32_t slot; /**< SG_NONE: not attached */
  uint32_t gen;  /**< generation of the slot, since this process took it */
  uint32_t word; /**< what this slot writes into the lock word */
  void *live;    /**< mapping that keeps this slot's byte of the liveness file locked */
  bool attached; /**< the slot's record belongs to this process */
  uint64_t pid_namespace;
  uint64_t live_dev; /**< with live_ino: the liveness file in which that byte is locked */
  uint64_t live_ino;
  bool repairing; /**< this is setup, and the liveness file is newer than the one in the header */
  char run_dir[PATH_MAX];
  int32_t shmid;
  uint64_t size;       /**< of the segment */
  uint64_t created_ns; /**< creation time in the descriptor */
  dev_t dev;           /**< with ino: identity of the descriptor */
  ino_t ino;
  int32_t lock_holder; /**< pid that held the lock at the last ELOCK */
  int cancel_state;    /**< cancel state of the thread that holds the lock, before it took it */
};

/* --- region_file.c --- */
/** Maps the region of `run_dir`, read-only if it may not be written. ENOREGION, EPERM, EOWNER,
 * EVERSION, ECORRUPT... */
int sg_open(struct sg_handle *h, const char *run_dir);
struct sg_descriptor;
/** As sg_open(), with a descriptor that was read already. */
int sg_attach_described(struct sg_handle *h, const char *run_dir, const struct sg_descriptor *d);
/**
 * As sg_open(), but keeps the mapping of `h` if it is of this region, and leaves any other mapped,
 * because other threads may still read it. On failure `h` does not change.
 */
int sg_reopen(struct sg_handle *h, const char *run_dir);
/** True if the path still leads to the mapped region. Uncertainty counts as true. */
bool sg_region_exists(const struct sg_handle *h);
void sg_close(struct sg_handle *h);

/* --- owner.c --- */
/** True if files of this user are trusted: root's and one's own. */
bool sg_trusted_owner(uid_t owner);
/**
 * True if the peer of a socket is surely this process's effective user. In a user namespace that
 * does not map all users, every user without a mapping looks like nobody, so nobody is no one's.
 */
bool sg_same_user(uid_t peer);
/**
 * The real user id of this process. 0 in a user namespace that does not map every user, as of a
 * container: an id inside says nothing of the user outside, whose job it is. A process that may
 * write the region could write any number anyway.
 */
uint32_t sg_own_uid(void);

/* --- create.c --- */
/**
 * Makes sure that the region exists: creates it, or adopts one whose descriptor was lost, and
 * repairs a damaged header and missing liveness files. `setup` NULL: only repairs.
 */
int sg_prepare(const char *run_dir, const struct schedgpu_setup *setup);
/** Removes the region and its files. EINUSE if live processes use it, unless `force`. */
int sg_remove(const char *run_dir, bool force);

/* --- liveness.c: the mapped OFD lock (docs/explanation/liveness.md) --- */
/** Takes a free slot in [first, end), lowest first; fills slot, word and live. EFULL, ESYSTEM;
 * ECORRUPT if the liveness file is not the one that the region names. */
int sg_slot_take(struct sg_handle *h, uint32_t first, uint32_t end);
/**
 * Call with the lock, after the liveness file was replaced. True if the slot still belongs to this
 * process; then its byte is locked in the new file too.
 */
bool sg_slot_renew(struct sg_handle *h);
/** True if the slot's byte is locked in the file that the region names now. */
static inline bool sg_slot_current(const struct sg_handle *h) {
  return (h->live_ino == sg_live_ino(h->r, h->slot) && h->live_dev == h->r->h.live_dev) ||
         h->repairing;
}
/** Releases the slot, which counts as dead from now on. */
void sg_slot_drop(struct sg_handle *h);
/** True if the process that activated `slot` is dead. Uncertainty counts as alive. */
bool sg_slot_dead(const struct sg_handle *h, uint32_t slot);
/** True if the process that wrote lock word `word` is dead. */
bool sg_owner_dead(const struct sg_handle *h, uint32_t word);
/** Writes slots of dead clients into `slot`, without the lock. Returns their number. */
uint32_t sg_find_dead(const struct sg_handle *h, uint16_t *slot, uint32_t capacity);
/** The same for the root side only, whose slots are few and have their own liveness file. */
uint32_t sg_find_dead_of_root(const struct sg_handle *h, uint16_t *slot, uint32_t capacity);
/**
 * True if the caller should scan for dead clients: not again within `period_ns`, nor so often that
 * scans take more than a twentieth of a CPU. Of concurrent callers only one gets true.
 */
bool sg_dead_scan_due(struct sg_region *r, uint64_t now_ns, uint64_t period_ns);
/** Scans for dead clients. True if there is one. Call it when a scan is due. Takes no lock. */
bool sg_dead_scan(const struct sg_handle *h);
/**
 * True if a process of one job is dead, other than this one. May be called at any time. Takes no
 * lock.
 */
bool sg_dead_scan_job(const struct sg_handle *h, uint32_t job);
/**
 * True if the owner of an owned job and all its processes are dead, so that the next reap ends it.
 * `job` is a copy of record `j`. Takes no lock.
 */
bool sg_job_dead(const struct sg_handle *h, const struct sg_job *job, uint32_t j);
struct sg_live_slot;
/**
 * Writes the live processes whose record says that it is free into `live`, at most SG_SLOTS.
 * Returns their number.
 */
uint32_t sg_find_unrecorded(const struct sg_handle *h, struct sg_live_slot *live);
/**
 * Call with the lock, as root, if the record does not say so: true if the broker client in `slot`
 * with that liveness file is alive, and no other process has the slot.
 */
bool sg_broker_client_lives(const struct sg_handle *h, uint32_t slot, uint64_t live_dev,
                            uint64_t live_ino);
/** True if the file in which this slot is locked is the one that the region names. */
bool sg_live_file_current(const struct sg_handle *h, uint32_t slot);
/** True if both liveness files are. */
bool sg_live_files_current(const struct sg_handle *h);

/* --- lock.c --- */
/**
 * Takes the lock. 0, or ELOCK after `timeout_ns` (SCHEDGPU_FOREVER) with h->lock_holder. Takes over
 * from a dead owner and repairs. Until sg_unlock() the thread cannot be cancelled, because its lock
 * would never be free again.
 */
int sg_lock(struct sg_handle *h, int64_t timeout_ns);
void sg_unlock(struct sg_handle *h);
/** Unlocks, then wakes the waiters, so that none of them wakes up only to wait for the lock. */
void sg_unlock_and_wake(struct sg_handle *h, const struct sg_wakes *wakes);
/** Repairs damage, reaps dead clients and serves waiters. Call with the lock. ECORRUPT. */
int sg_reap_locked(struct sg_handle *h, struct sg_wakes *wakes, struct schedgpu_reaped *reaped);
/** Reaps dead clients, under the lock, which it takes. `reaped` may be NULL. */
int sg_reap(struct sg_handle *h, int64_t timeout_ns, struct schedgpu_reaped *reaped);

/* --- forks.c --- */
/** Between these two calls no fork of this process begins. */
void sg_forbid_forks(void);
void sg_allow_forks(void);

/* --- start_thread.c --- */
/** Starts a thread that takes no signal of the program and is never joined. 0, or an errno. */
int sg_start_thread(void *(*body)(void *), void *argument);

/* --- sys.c --- */
uint64_t sg_now_ns(void);
/** Sleeps while *word == expected, for at most `ns`. False after that time. */
bool sg_futex_wait(_Atomic uint32_t *word, uint32_t expected, uint64_t ns);
void sg_futex_wake(_Atomic uint32_t *word, int count);
/** A descriptor of the process, as of pidfd_open(2); -1 with errno, also on kernels before 5.3. */
int sg_pidfd_open(int32_t pid);
/**
 * True only if there certainly is no such process: it was in this PID namespace, and is gone or a
 * zombie.
 */
bool sg_process_gone(int32_t pid, uint64_t pid_namespace);
/** State letter of /proc/PID/stat, '?' if unknown. */
char sg_proc_state(int32_t pid);
uint64_t sg_pid_namespace(void);

#endif

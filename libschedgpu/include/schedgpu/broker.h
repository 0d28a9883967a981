/*
 * broker.h - the agent's side of the client-server approach: serves the clients of a region that
 * only its owner may write (docs/explanation/client-server.md).
 *
 * Threads: one thread runs a broker; schedgpu_broker_stop() and schedgpu_broker_stats() may be
 * called by others. Errors as in schedgpu.h.
 */
#ifndef SCHEDGPU_BROKER_H
#define SCHEDGPU_BROKER_H

#include "admin.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What one user may take of the agent; 0: the default. Root has no limits but the first. */
struct schedgpu_broker_limits {
  uint32_t connections;          /**< of all users; default 4096 */
  uint32_t connections_per_user; /**< default 1024 */
  uint32_t clients_per_user;     /**< attached processes; default 512 */
  uint32_t jobs_per_user;        /**< that users begin themselves; default 64 */
  uint32_t jobs_per_second;      /**< and user; the next begins later; default 50 */
  uint32_t messages_per_second;  /**< and user; who sends more is read later; default 20000 */
  uint32_t patience_ms;          /**< for who does not greet or read; default 10000 */
  uint32_t idle_ms;              /**< for who says nothing and has no client; default 60000 */
  uint32_t accepts_per_second;   /**< of all users; the next wait in the socket; default 5000 */
};

/** Since it was opened. */
struct schedgpu_broker_stats {
  uint64_t messages;
  uint64_t refused_messages; /**< not understood: their senders were cut off */
  uint64_t accepted;
  uint64_t refused_connections; /**< over a limit */
  uint64_t throttled;           /**< how often a connection was read later */
  uint64_t slow;                /**< cut off: did not greet or read in time */
  uint64_t idle;                /**< cut off: had no client and said nothing for long */
  uint64_t gave_way;            /**< cut off: had no client, and others had fewer connections */
  uint32_t connections;         /**< now */
  uint32_t clients;             /**< now */
  uint32_t adopting;            /**< 1: clients of the agent before are still being looked for */
  uint32_t adopted;             /**< of those: found, with their pages */
  uint32_t not_adopted;         /**< what these give back counts when they ask for something */
  uint32_t adoption_denied;     /**< 1: this process may not look into the memory of others */
  uint32_t stuck;               /**< users whose processes could not be looked at in time */
};

typedef struct schedgpu_broker schedgpu_broker;

/**
 * Opens the region of `run_dir` and listens there. `limits` NULL: the defaults. EINUSE: another
 * agent serves there already. Errors as schedgpu_admin_open().
 */
SCHEDGPU_API int schedgpu_broker_open(const char *run_dir,
                                      const struct schedgpu_broker_limits *limits,
                                      schedgpu_broker **broker);
/** For other languages: sets the limit of that name, as in the structure. EINVAL: there is none. */
SCHEDGPU_API int schedgpu_broker_set_limit(schedgpu_broker *broker, const char *name,
                                           uint32_t value);
/**
 * What users may have in jobs that they begin themselves, as the keys of schedgpu.conf say:
 * DefaultMem ("" for none), MaxMem, MaxPriority, and the users of HighPriorityUsers. Until then: no
 * default, 100 %, 90, nobody. From any thread. EINVAL: one of them is none.
 */
SCHEDGPU_API int schedgpu_broker_set_terms(schedgpu_broker *broker, const char *default_mem,
                                           const char *max_mem, int32_t max_priority,
                                           const uint32_t *above, uint32_t above_count);
#define SCHEDGPU_BROKER_MAX_SUBORDINATES 4096
/**
 * User ids that belong to other users (/etc/subuid): `count[i]` from `first[i]` on are
 * `owner[i]`'s, and count as him wherever a user's share is counted. Who they are stays as it is.
 * An owner 0, or one that is unknown, is given as `first[i]`: root has no limits. Replaces all
 * before. From any thread. EINVAL: there are too many.
 */
SCHEDGPU_API int schedgpu_broker_set_subordinates(schedgpu_broker *broker, const uint32_t *first,
                                                  const uint32_t *count, const uint32_t *owner,
                                                  uint32_t n);
/**
 * Who has the share that `uid` counts to: by the same ranges, the last that has it; else himself.
 * Any number of ranges. Without a broker, too; thread-safe.
 */
SCHEDGPU_API uint32_t schedgpu_share_owner(uint32_t uid, const uint32_t *first,
                                           const uint32_t *count, const uint32_t *owner,
                                           uint32_t n);
/** For other languages: the number of that name in the statistics, -1 if there is none. */
SCHEDGPU_API int64_t schedgpu_broker_count(const schedgpu_broker *broker, const char *name);
/** Serves until schedgpu_broker_stop(). OK; ENOREGION: the region was removed or made anew. */
SCHEDGPU_API int schedgpu_broker_run(schedgpu_broker *broker);
/** Ends schedgpu_broker_run(), now or as soon as it is called. From any thread. */
SCHEDGPU_API void schedgpu_broker_stop(schedgpu_broker *broker);
SCHEDGPU_API void schedgpu_broker_stats(const schedgpu_broker *broker,
                                        struct schedgpu_broker_stats *stats);
/** Not while it runs. Reservations stay; clients go on when the next agent listens. */
SCHEDGPU_API void schedgpu_broker_close(schedgpu_broker *broker);

#ifdef __cplusplus
}
#endif
#endif

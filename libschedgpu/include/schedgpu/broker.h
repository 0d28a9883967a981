/*
 * broker.h - the agent's side of the client-server mode: serves the clients of a region that only
 * its owner may write (docs/explanation/client-server.md).
 *
 * Threads: one thread runs a broker. Other threads may call schedgpu_broker_stop(),
 * schedgpu_broker_stats(), and what says so below. Errors as in schedgpu.h.
 */
#ifndef SCHEDGPU_BROKER_H
#define SCHEDGPU_BROKER_H

#include "admin.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Limits per user, unless stated otherwise; 0: the default. Only `connections` applies to root. */
struct schedgpu_broker_limits {
  uint32_t connections;          /**< of all users; default 4096 */
  uint32_t connections_per_user; /**< default 1024 */
  uint32_t clients_per_user;     /**< attached processes; default 512 */
  uint32_t jobs_per_user;        /**< jobs that the user began; default 64 */
  uint32_t jobs_per_second;      /**< per user; the next job begins later; default 50 */
  uint32_t messages_per_second;  /**< per user; further messages are read later; default 20000 */
  uint32_t patience_ms; /**< time-out for a greeting and for reading answers; default 10000 */
  uint32_t idle_ms;     /**< time-out of a silent connection without a client; default 60000 */
  uint32_t accepts_per_second; /**< of all users; further ones wait in the socket; default 5000 */
};

/** Counters since the broker was opened, and current numbers. */
struct schedgpu_broker_stats {
  uint64_t messages;
  uint64_t refused_messages; /**< malformed; their connections were closed */
  uint64_t accepted;
  uint64_t refused_connections; /**< over a limit */
  uint64_t throttled;           /**< how often a connection was throttled */
  uint64_t slow;                /**< closed: did not greet or read in time */
  uint64_t idle;                /**< closed: had no client and was silent for long */
  uint64_t gave_way;    /**< closed: had no client, and another user had fewer connections */
  uint32_t connections; /**< now */
  uint32_t clients;     /**< now */
  uint32_t adopting;    /**< 1: clients of the earlier agent are still being searched */
  uint32_t adopted;     /**< clients of the earlier agent that were found */
  uint32_t
      not_adopted; /**< clients that were not found; what they free counts at their next request */
  uint32_t adoption_denied; /**< 1: this process may not read the memory of others */
  uint32_t stuck;           /**< users whose processes blocked the search */
};

typedef struct schedgpu_broker schedgpu_broker;

/**
 * Whether this system has what a broker needs: pidfd_open(2), of Linux 5.3, which a filter of
 * system calls may refuse, too. OK, or ESYSTEM with errno. Thread-safe.
 */
SCHEDGPU_API int schedgpu_broker_supported(void);

/**
 * Opens the region of `run_dir` and listens there. `limits` NULL: the defaults. EINUSE: another
 * agent is running. Other errors as schedgpu_broker_supported() and schedgpu_admin_open().
 */
SCHEDGPU_API int schedgpu_broker_open(const char *run_dir,
                                      const struct schedgpu_broker_limits *limits,
                                      schedgpu_broker **broker);
/** Sets a limit by its name in the structure, for other languages. EINVAL: unknown name. */
SCHEDGPU_API int schedgpu_broker_set_limit(schedgpu_broker *broker, const char *name,
                                           uint32_t value);
/**
 * Sets the limits of jobs that users begin themselves, as in schedgpu.conf: DefaultMem ("" for
 * none), MaxMem, MaxPriority, and the users of HighPriorityUsers. Before the first call: no
 * default, 100 %, 90, no users. May be called from any thread. EINVAL: a value is invalid.
 */
SCHEDGPU_API int schedgpu_broker_set_terms(schedgpu_broker *broker, const char *default_mem,
                                           const char *max_mem, int32_t max_priority,
                                           const uint32_t *above, uint32_t above_count);
/**
 * Sets whether such jobs may have a lane or a share (Lanes), and the largest share (MaxShare).
 * Before the first call: they may, 1000. May be called from any thread.
 */
SCHEDGPU_API void schedgpu_broker_set_lanes(schedgpu_broker *broker, int lanes, uint32_t max_share);
#define SCHEDGPU_BROKER_MAX_SUBORDINATES 4096
/**
 * Sets the user ids that belong to other users (/etc/subuid): `count[i]` ids from `first[i]` on
 * belong to `owner[i]`, and count for the limits of that user. The identity of a process does not
 * change. If the owner is 0 or unknown, `first[i]` stands for it, as root has no limits. Replaces
 * earlier ranges. May be called from any thread. EINVAL: too many ranges.
 */
SCHEDGPU_API int schedgpu_broker_set_subordinates(schedgpu_broker *broker, const uint32_t *first,
                                                  const uint32_t *count, const uint32_t *owner,
                                                  uint32_t n);
/**
 * The user id whose limits apply to `uid`: the owner of the last range that contains it, else
 * `uid`. Takes any number of ranges, needs no broker, and is thread-safe.
 */
SCHEDGPU_API uint32_t schedgpu_share_owner(uint32_t uid, const uint32_t *first,
                                           const uint32_t *count, const uint32_t *owner,
                                           uint32_t n);
/** A number of the statistics by its name, for other languages; -1: unknown name. */
SCHEDGPU_API int64_t schedgpu_broker_count(const schedgpu_broker *broker, const char *name);
/**
 * Serves clients until schedgpu_broker_stop(). OK, or ENOREGION: the region was removed or
 * replaced.
 */
SCHEDGPU_API int schedgpu_broker_run(schedgpu_broker *broker);
/** Ends schedgpu_broker_run(), now or as soon as it is called. May be called from any thread. */
SCHEDGPU_API void schedgpu_broker_stop(schedgpu_broker *broker);
SCHEDGPU_API void schedgpu_broker_stats(const schedgpu_broker *broker,
                                        struct schedgpu_broker_stats *stats);
/** Closes a broker that does not run. Reservations stay; clients continue with the next agent. */
SCHEDGPU_API void schedgpu_broker_close(schedgpu_broker *broker);

#ifdef __cplusplus
}
#endif
#endif

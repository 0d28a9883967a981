/*
 * wire.h - the messages between a client and the agent, where users may not write the region
 * (docs/reference/protocol.md has them as a byte map).
 *
 * A UNIX socket of type SOCK_SEQPACKET: one packet is one message, so there are no partial
 * messages. The client asks and the agent answers, one message at a time. Numbers are in the host's
 * byte order. The kernel identifies the client (SO_PEERCRED); no message names a user or a process.
 *
 * The answers to ATTACH, RESUME and BEGIN carry two descriptors: a liveness file in which this
 * process's slot is locked (docs/explanation/liveness.md), and the client page: memory that only
 * the agent and this client share.
 */
#ifndef SG_WIRE_H
#define SG_WIRE_H

#include "../../core/rules/core.h"
#include <stddef.h>

#define SG_WIRE_MAGIC 0x52424753u /* "SGBR" */
#define SG_WIRE_VERSION 5u
/** The oldest that an agent speaks; a client speaks the newest alone. Before it, pages had other
 * offsets. */
#define SG_WIRE_LOWEST 4u
/** Before, pages had no turn: BEGIN ends after the name, and `attached` after the devices. */
#define SG_WIRE_TURNS 5u
#define SG_WIRE_TEXT 512u

enum sg_wire_type {
  SG_WIRE_HELLO = 1, /**< first message: the versions */
  SG_WIRE_ATTACH = 2,
  SG_WIRE_RESUME = 3, /**< attach again as before, to a new agent */
  SG_WIRE_ASK = 4,
  SG_WIRE_SETTLE = 5, /**< ends a wait */
  SG_WIRE_SYNC = 6,   /**< read the page: memory was freed, or refused */
  SG_WIRE_DETACH = 7,
  SG_WIRE_QUERY = 8,
  SG_WIRE_HOLDERS = 9,
  SG_WIRE_DEVICES = 10,
  SG_WIRE_BEGIN = 11, /**< begins a job of the user, owned by this process */
  SG_WIRE_END = 12,
  SG_WIRE_USE = 13,        /**< use of the job that this process began */
  SG_WIRE_END_TURN = 14,   /**< an iteration has ended: the turn may go on */
  SG_WIRE_LEAVE_LINE = 15, /**< ends a wait for the turn */
  SG_WIRE_TYPES = 16,
};

enum sg_wire_subject { SG_WIRE_MEMORY = 0, SG_WIRE_CONTEXT = 1, SG_WIRE_GATE = 2 };

struct sg_wire_head {
  uint32_t magic;
  uint16_t version;  /**< 0 in HELLO and its answer; then the agreed version */
  uint16_t type;     /**< the answer has the one of its question */
  uint32_t size;     /**< of the whole message, in bytes */
  uint32_t sequence; /**< any number; the answer repeats it */
};

struct sg_wire_hello {
  uint32_t lowest;
  uint32_t highest;
};
struct sg_wire_attach {
  uint64_t id;   /**< id of the job that the process asks to join */
  uint32_t kind; /**< enum schedgpu_job_kind */
  uint32_t reserved;
};
/** A process waits for one request at a time. */
struct sg_wire_wait {
  uint64_t ticket; /**< 0: no wait */
};
/** What a process says of its turn in RESUME; it counts only if the region says that it has it. */
enum sg_wire_turn { SG_WIRE_TURN_IDLE = 1, SG_WIRE_TURN_BUSY = 2, SG_WIRE_TURN_WAITS = 4 };
/** The region decides: `in_use` and `contexts` count only as far as they are less. */
struct sg_wire_resume {
  struct sg_wire_attach job;
  uint32_t slot;
  uint32_t gen;
  uint32_t contexts;                     /**< bit d: has its context on device d */
  uint32_t turn;                         /**< enum sg_wire_turn */
  uint64_t in_use[SCHEDGPU_MAX_DEVICES]; /**< units */
  struct sg_wire_wait wait;
};
struct sg_wire_ask {
  uint64_t bytes;
  uint64_t deadline_ns; /**< for display */
  uint32_t subject;     /**< enum sg_wire_subject */
  uint32_t device;      /**< physical */
  uint32_t may_wait;
  uint32_t reserved;
};
struct sg_wire_device {
  uint32_t device; /**< physical */
  uint32_t reserved;
};

/** A request for a job; the agent decides (docs/reference/protocol.md). */
struct sg_wire_begin {
  uint64_t budget_bytes[SCHEDGPU_MAX_DEVICES]; /**< 0: none, or the site's DefaultMem */
  int64_t wait_ns;
  uint32_t mode;        /**< enum schedgpu_mode */
  uint32_t device_mask; /**< physical */
  uint32_t flags;       /**< SCHEDGPU_JOB_FLAG_OVERFLOW_WAITS, or 0 */
  uint32_t processes;
  int32_t priority;
  uint32_t lane;                 /**< enum schedgpu_lane_policy */
  char name[SCHEDGPU_NAME_SIZE]; /**< for display */
  uint64_t persistent_bytes;
  int64_t length_ns;
  uint32_t share;
  uint32_t reserved;
};
struct sg_wire_end {
  uint64_t id; /**< id of the job that this process began */
};

struct sg_wire_question {
  struct sg_wire_head head;
  union {
    struct sg_wire_hello hello;
    struct sg_wire_attach attach;
    struct sg_wire_resume resume;
    struct sg_wire_ask ask;
    struct sg_wire_wait settle;
    struct sg_wire_device device; /**< QUERY, HOLDERS */
    struct sg_wire_begin begin;
    struct sg_wire_end end; /**< END, USE */
  };
};

struct sg_wire_gpu {
  uint64_t usable_bytes;
  uint64_t context_bytes;
  uint64_t budget_bytes; /**< of the job */
  char uuid[SCHEDGPU_UUID_SIZE];
};
/** The job, as far as its own processes may see it; nothing about others. */
struct sg_wire_attached {
  uint32_t slot;
  uint32_t gen;
  uint32_t mode;
  uint32_t device_mask; /**< of the job */
  uint32_t flags;
  uint32_t present; /**< devices of the node */
  uint64_t begun_ns;
  int64_t wait_ns;
  int32_t priority;
  uint32_t lost; /**< RESUME: 1: the agent does not know the wait any more */
  struct sg_wire_gpu gpu[SCHEDGPU_MAX_DEVICES];
  uint32_t lane; /**< enum schedgpu_lane_policy */
  uint32_t reserved;
};
/** A queued request (EWOULDBLOCK, `ticket` not 0), or a wait for the turn (ETURN: only the
 * holders). About other users it has only sums. */
struct sg_wire_queued {
  uint64_t ticket;
  uint64_t request_bytes;
  uint64_t free_bytes;
  uint32_t place;
  uint32_t holders;
  uint32_t reserved;
  uint32_t holder_uid; /**< with holder_job_id: only a job of the same user */
  uint64_t holder_job_id;
};

/** The devices of the node, as far as a process needs them to begin a job. */
struct sg_wire_node {
  uint32_t present; /**< bit d: device d */
  uint32_t reserved;
  struct sg_wire_node_gpu {
    uint64_t total_bytes;
    uint64_t usable_bytes;
    uint64_t context_bytes;
    char uuid[SCHEDGPU_UUID_SIZE];
  } gpu[SCHEDGPU_MAX_DEVICES];
};
/** A job as it was decided; the other values are as requested. */
struct sg_wire_begun {
  uint64_t id;
  uint64_t budget_bytes[SCHEDGPU_MAX_DEVICES];
  int32_t priority;
  uint32_t reserved;
};

struct sg_wire_answer {
  struct sg_wire_head head;
  int32_t rc; /**< enum schedgpu_error */
  uint32_t reserved;
  union {
    uint32_t version; /**< HELLO */
    struct sg_wire_attached attached;
    struct sg_wire_queued queued;
    struct schedgpu_info info;
    char text[SG_WIRE_TEXT];
    struct sg_wire_node node;
    struct sg_wire_begun begun;
    struct schedgpu_job_use use;
  };
};

/** Size in bytes of the body of a question of this type. */
static inline uint32_t sg_wire_body(uint32_t type) {
  static const uint16_t size[SG_WIRE_TYPES] = {[SG_WIRE_HELLO] = sizeof(struct sg_wire_hello),
                                               [SG_WIRE_ATTACH] = sizeof(struct sg_wire_attach),
                                               [SG_WIRE_RESUME] = sizeof(struct sg_wire_resume),
                                               [SG_WIRE_ASK] = sizeof(struct sg_wire_ask),
                                               [SG_WIRE_SETTLE] = sizeof(struct sg_wire_wait),
                                               [SG_WIRE_QUERY] = sizeof(struct sg_wire_device),
                                               [SG_WIRE_HOLDERS] = sizeof(struct sg_wire_device),
                                               [SG_WIRE_BEGIN] = sizeof(struct sg_wire_begin),
                                               [SG_WIRE_END] = sizeof(struct sg_wire_end),
                                               [SG_WIRE_USE] = sizeof(struct sg_wire_end)};
  return type < SG_WIRE_TYPES ? size[type] : 0;
}

/** The same in this version of the protocol. */
static inline uint32_t sg_wire_body_in(uint32_t version, uint32_t type) {
  return type == SG_WIRE_BEGIN && version < SG_WIRE_TURNS
             ? (uint32_t)offsetof(struct sg_wire_begin, persistent_bytes)
             : sg_wire_body(type);
}

enum sg_wait_state { SG_WAIT_NONE = 0, SG_WAIT_GOES_ON = 1, SG_WAIT_OVER = 2 };

/**
 * The client page. In `client` only `lease`, `contexts`, `peak_units` and `refused` count. In a
 * lease the client changes what is in use and the agent what is leased, each by compare-and-swap;
 * the agent may take back a lease that is not in use. The client may write anything here: the agent
 * trusts nothing beyond what the region says that this process has.
 */
struct sg_page {
  struct sg_client client;
  _Alignas(64) _Atomic uint32_t sync_wanted; /**< agent: a request waits, send SYNC after freeing */
  _Atomic uint32_t taken; /**< client: sequence of the last answer whose grant it has taken */
  _Alignas(64) _Atomic uint32_t wait_state; /**< futex word: enum sg_wait_state */
  uint32_t slot;               /**< agent: slot of this page, as a process may have two */
  struct sg_wire_wait wait;    /**< client: its wait, for the next agent */
  _Atomic uint32_t turn_waits; /**< client: a thread waits for the turn */
  _Atomic uint32_t turn_due;   /**< agent: a waiter comes before this process */
  /**
   * As in the region, for this process alone: `turn`, `waiting` (not 0: tell the agent of the end
   * of an iteration) and the times. `turn` is 0 unless the agent gave it; the client changes only
   * SG_TURN_BUSY, and the agent takes only an idle turn back, each by compare-and-swap.
   */
  struct sg_lane lane;
};
#define SG_PAGE_NAME "schedgpu-page"
#define SG_PAGE_SIZE 4096u
_Static_assert(sizeof(struct sg_page) <= SG_PAGE_SIZE, "the page is one page");

#endif

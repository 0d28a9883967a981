/*
 * wire.h - what a client and the agent say to each other where the region is not writable
 * (docs/reference/protocol.md has the same as a byte map).
 *
 * A UNIX socket of type SOCK_SEQPACKET: one packet is one message, so there is no half of one. The
 * client asks, the agent answers, one at a time. Numbers are of the host's byte order. Who asks is
 * what the kernel says (SO_PEERCRED): no message names a user or a process.
 *
 * With the answer to ATTACH, RESUME and BEGIN come two descriptors: a liveness file of which this
 * process's slot is locked (docs/explanation/liveness.md), and the page: memory that agent and
 * client share, and nobody else.
 */
#ifndef SG_WIRE_H
#define SG_WIRE_H

#include "../../core/core.h"

#define SG_WIRE_MAGIC 0x52424753u /* "SGBR" */
#define SG_WIRE_VERSION 3u
/** Pages of versions 1 and 2 had other offsets. */
#define SG_WIRE_LOWEST 3u
#define SG_WIRE_TEXT 512u

enum sg_wire_type {
  SG_WIRE_HELLO = 1, /**< first of all: which versions */
  SG_WIRE_ATTACH = 2,
  SG_WIRE_RESUME = 3, /**< as attached before, to an agent that was started anew */
  SG_WIRE_ASK = 4,
  SG_WIRE_SETTLE = 5, /**< ends a wait */
  SG_WIRE_SYNC = 6,   /**< look at the page: something was given back, or refused */
  SG_WIRE_DETACH = 7,
  SG_WIRE_QUERY = 8,
  SG_WIRE_HOLDERS = 9,
  SG_WIRE_DEVICES = 10,
  SG_WIRE_BEGIN = 11, /**< a job of the user's, owned by this process */
  SG_WIRE_END = 12,
  SG_WIRE_USE = 13, /**< what the job that this process began has used */
  SG_WIRE_TYPES = 14,
};

enum sg_wire_subject { SG_WIRE_MEMORY = 0, SG_WIRE_CONTEXT = 1, SG_WIRE_GATE = 2 };

struct sg_wire_head {
  uint32_t magic;
  uint16_t version;  /**< 0 in HELLO and its answer; then the one agreed on */
  uint16_t type;     /**< the answer has the one of its question */
  uint32_t size;     /**< of the whole message, in bytes */
  uint32_t sequence; /**< any; the answer has the one of its question */
};

struct sg_wire_hello {
  uint32_t lowest;
  uint32_t highest;
};
struct sg_wire_attach {
  uint64_t id;   /**< of the job the process says it belongs to */
  uint32_t kind; /**< enum schedgpu_job_kind */
  uint32_t reserved;
};
/** A process waits for one request at a time. */
struct sg_wire_wait {
  uint64_t ticket; /**< 0: it waits for none */
};
/** What the region says counts: of `in_use` and `contexts` only what is less is believed. */
struct sg_wire_resume {
  struct sg_wire_attach job;
  uint32_t slot;
  uint32_t gen;
  uint32_t contexts; /**< bit d: has its context on device d */
  uint32_t reserved;
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

/** What is wanted: the agent decides (docs/reference/protocol.md). */
struct sg_wire_begin {
  uint64_t budget_bytes[SCHEDGPU_MAX_DEVICES]; /**< 0: none, or the site's DefaultMem */
  int64_t wait_ns;
  uint32_t mode;        /**< enum schedgpu_mode */
  uint32_t device_mask; /**< physical */
  uint32_t flags;       /**< SCHEDGPU_JOB_FLAG_OVERFLOW_WAITS, or 0 */
  uint32_t processes;
  int32_t priority;
  uint32_t reserved;
  char name[SCHEDGPU_NAME_SIZE]; /**< for display */
};
struct sg_wire_end {
  uint64_t id; /**< of the job that this process began */
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
/** Of the job only what its own processes may know; of others nothing. */
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
  uint32_t lost; /**< RESUME: 1: the wait is not known any more */
  struct sg_wire_gpu gpu[SCHEDGPU_MAX_DEVICES];
};
/** Of a queued request (EWOULDBLOCK, `ticket` not 0); sums, and of others no name. */
struct sg_wire_queued {
  uint64_t ticket;
  uint64_t request_bytes;
  uint64_t free_bytes;
  uint32_t place;
  uint32_t holders;
  uint32_t reserved;
  uint32_t holder_uid; /**< with holder_job_id: if it is the asking user's own job */
  uint64_t holder_job_id;
};

/** The devices of the node, as far as who wants a job must know them. */
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
/** A job as it was decided; of the rest the agent took what was asked for. */
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

/** What follows the head in a question of this type. */
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

enum sg_wait_state { SG_WAIT_NONE = 0, SG_WAIT_GOES_ON = 1, SG_WAIT_OVER = 2 };

/**
 * The page. Of `client` only `lease`, `contexts`, `peak_units` and `refused` count. In a lease the
 * client changes what is in use, the agent what is leased, each by compare-and-swap; a lease that
 * is not in use may be taken back. The client may write anything here: the agent believes none of
 * it beyond what its region says that this process was given.
 */
struct sg_page {
  struct sg_client client;
  _Alignas(64) _Atomic uint32_t tell; /**< agent: somebody waits, say SYNC when giving back */
  _Atomic uint32_t taken; /**< client: sequence of the last answer of which it took what it got */
  _Alignas(64) _Atomic uint32_t wait_state; /**< futex word: enum sg_wait_state */
  uint32_t slot;            /**< agent: whose page this is, as a process may have two */
  struct sg_wire_wait wait; /**< client: what it waits for, for the next agent */
};
#define SG_PAGE_NAME "schedgpu-page"
#define SG_PAGE_SIZE 4096u
_Static_assert(sizeof(struct sg_page) <= SG_PAGE_SIZE, "the page is one page");

#endif

/*
 * state.h - the state of the emulated devices, in one file that all processes of the host map.
 *
 * Every number has one place, and one 8-byte store changes it. So a process may be killed at any
 * instruction and leaves nothing to repair. Sums are computed when they are needed. The clock of a
 * device is written into the half that is not in use, and then switched to. A process that finds
 * the slot of a dead one empties it, as the kernel does when the last handle of a real device is
 * closed.
 *
 * All fields except the parameters are guarded by `lock`, a robust process-shared mutex.
 */
#ifndef EMULATED_GPU_STATE_H
#define EMULATED_GPU_STATE_H

#include <pthread.h>
#include <stdint.h>

enum { MAX_DEVICES = 16, MAX_PROCESSES = 512, MAX_TASKS = 64, MAX_SHAREABLES = 1024 };

/* A process that uses a device. pid is written last and cleared last; 0 is a free slot. */
struct owner {
  int32_t pid;
  int32_t unused;
  uint64_t start_ticks;
  uint64_t claimed_ns;
  uint64_t found_dead_ns; /* 0: alive, or its death was not noticed yet */
};

/* A launched kernel. A set of tasks of one process is a 64-bit mask of their indexes. */
struct task {
  uint64_t duration_ns;    /* device time if it ran alone */
  uint64_t end_virtual_ns; /* 0 before its start; then its end, in the device's virtual time */
  uint64_t finished_ns;    /* CLOCK_MONOTONIC; valid once its bit is in `finished` */
  uint64_t after;          /* the tasks of its process that must finish before it starts */
  uint32_t device;
  uint32_t context;
};

/* The state of a device's simulation. */
struct clock_state {
  uint64_t real_ns;          /* CLOCK_MONOTONIC up to which the simulation has advanced */
  uint64_t virtual_ns;       /* device time of a kernel that has always been running */
  uint64_t busy_ns;          /* time in which at least one kernel ran */
  uint64_t period_busy_ns;   /* of that, the time in the sample period of real_ns */
  uint64_t previous_busy_ns; /* and in the period before it */
};

struct device_clock {
  struct clock_state half[2];
  uint64_t current;    /* which half is valid */
  uint64_t checked_ns; /* time of the last check that the owners of running kernels live */
};

/* Physical memory that processes can share; see shareable.h. `bytes` is written last and cleared
 * first; 0 is a free entry. */
struct shareable {
  uint64_t bytes;
  uint64_t file_device, file_inode; /* of the memory file with the content */
  uint32_t device;
  uint32_t maker;                     /* slot of the process that allocated it */
  uint64_t exported;                  /* 1: there is, or was, a descriptor of it */
  uint64_t users[MAX_PROCESSES / 64]; /* a bit for each slot with a handle or a mapping */
};

struct shared_state {
  uint64_t magic; /* contains the version and size of this layout */
  uint32_t device_count;
  uint32_t unused;
  uint64_t memory_bytes;
  uint64_t context_bytes;
  pthread_mutex_t lock;
  uint64_t owners_high; /* slots from here on were never used */
  struct owner owners[MAX_PROCESSES];
  uint64_t allocated_bytes[MAX_DEVICES][MAX_PROCESSES];
  uint64_t overhead_bytes[MAX_DEVICES][MAX_PROCESSES];
  uint64_t busy_ns[MAX_DEVICES][MAX_PROCESSES];
  uint64_t shareables_high; /* entries from here on are free */
  struct shareable shareables[MAX_SHAREABLES];
  struct device_clock clocks[MAX_DEVICES];
  uint64_t tasks_used[MAX_PROCESSES];
  uint64_t tasks_finished[MAX_PROCESSES];
  struct task tasks[MAX_PROCESSES][MAX_TASKS];
};

/* The mapped state, created if necessary; NULL after a message. Mapped once per process. */
struct shared_state *state_open(void);

/* As state_open, for the given file and not cached: for tests. */
struct shared_state *state_open_at(const char *path);
void state_close(struct shared_state *state);

void state_lock(struct shared_state *state);
void state_unlock(struct shared_state *state);

/* The slot of this process, or -1 if 512 others are alive. Call with the lock. */
int state_claim(struct shared_state *state);

/* Empties the slots of processes that are gone, and frees shareable memory to which nothing refers
 * any more. Call with the lock. */
void state_reap(struct shared_state *state);
void state_empty_slot(struct shared_state *state, unsigned slot);

/* Handles the death of the slot's process: stops its kernels, and frees its memory, now or later
 * (EMULATED_GPU_LATE_FREE_MS). Call with the lock. */
void state_remove_dead(struct shared_state *state, unsigned slot);

uint64_t state_now_ns(void);

/* The index of the lowest bit that is set; mask must not be 0. */
static inline unsigned lowest_bit(uint64_t mask) {
  return (unsigned)__builtin_ctzll(mask);
}

#endif

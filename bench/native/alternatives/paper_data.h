/*
 * paper_data.h - the paper's shared data (section 3.2): total memory, used memory, used memory by
 * client, queue of waiting clients. Who calls holds the lock. FIFO is its policy.
 */
#ifndef BENCH_PAPER_DATA_H
#define BENCH_PAPER_DATA_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define PAPER_CLIENTS 1024

struct paper_item {
  pid_t pid; /**< 0 = free */
  uint64_t bytes;
};

struct paper_waiter {
  pid_t pid;    /**< 0 = free */
  bool granted; /**< its bytes are reserved: it may go on */
  uint64_t bytes;
  uint64_t ticket;
};

struct paper_data {
  uint64_t magic;
  uint64_t total_bytes;
  uint64_t used_bytes;
  uint64_t last_ticket;
  uint32_t waiting;
  uint32_t items_end, queue_end; /**< entries behind were never used */
  struct paper_item item[PAPER_CLIENTS];
  struct paper_waiter queue[PAPER_CLIENTS];
};

/** Who must be told that it was served. */
struct paper_served {
  uint32_t count;
  pid_t pid[PAPER_CLIENTS];
};

void paper_fill(struct paper_data *data, uint64_t total_bytes);
/** The integrity check of a new client: what is itemised adds up to what is used. */
bool paper_sound(const struct paper_data *data);
/** Reserves if it fits and nobody waits. */
bool paper_take(struct paper_data *data, pid_t pid, uint64_t bytes);
/** Gives back; false if the client has less. */
bool paper_give(struct paper_data *data, pid_t pid, uint64_t bytes);
uint64_t paper_holds(const struct paper_data *data, pid_t pid);
/** A place in the queue, NULL if it is full. */
struct paper_waiter *paper_enqueue(struct paper_data *data, pid_t pid, uint64_t bytes);
void paper_leave_queue(struct paper_data *data, struct paper_waiter *waiter);
/** Reserves on behalf of the oldest waiters, as long as they fit. */
void paper_serve(struct paper_data *data, struct paper_served *served);
/** The sanity check: frees what clients hold that are not alive any more. */
void paper_drop_dead(struct paper_data *data);

#endif

/*
 * paper_data.h - the paper's shared data (section 3.2): total memory, used memory, used memory by
 * client, queue of waiting clients. The policy is FIFO. Call all functions with the lock.
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
  bool granted; /**< its bytes are reserved, and it may continue */
  uint64_t bytes;
  uint64_t ticket;
};

struct paper_data {
  uint64_t magic;
  uint64_t total_bytes;
  uint64_t used_bytes;
  uint64_t last_ticket;
  uint32_t waiting;
  uint32_t items_end, queue_end; /**< entries from here on were never used */
  struct paper_item item[PAPER_CLIENTS];
  struct paper_waiter queue[PAPER_CLIENTS];
};

/** The clients that were served and must be notified. */
struct paper_served {
  uint32_t count;
  pid_t pid[PAPER_CLIENTS];
};

void paper_fill(struct paper_data *data, uint64_t total_bytes);
/** The integrity check of a new client: the sum over the clients is the used memory. */
bool paper_sound(const struct paper_data *data);
/** Reserves if the bytes fit and no client waits. */
bool paper_take(struct paper_data *data, pid_t pid, uint64_t bytes);
/** Releases; false if the client has less. */
bool paper_give(struct paper_data *data, pid_t pid, uint64_t bytes);
uint64_t paper_holds(const struct paper_data *data, pid_t pid);
/** A place in the queue, NULL if it is full. */
struct paper_waiter *paper_enqueue(struct paper_data *data, pid_t pid, uint64_t bytes);
void paper_leave_queue(struct paper_data *data, struct paper_waiter *waiter);
/** Reserves for the oldest waiters, as long as they fit. */
void paper_serve(struct paper_data *data, struct paper_served *served);
/** The sanity check: frees what dead clients hold. */
void paper_drop_dead(struct paper_data *data);

#endif

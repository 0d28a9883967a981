/*
 * paper_client.h - a client of the paper's shared memory approach. Its two methods differ only in
 * how they lock the data and how they notify a waiter.
 */
#ifndef BENCH_PAPER_CLIENT_H
#define BENCH_PAPER_CLIENT_H

#include "paper_data.h"
#include <pthread.h>

/** The shared memory: the data, and the lock of the method with a mutex. */
struct paper_shared {
  struct paper_data data;
  pthread_mutex_t mutex;
  pthread_cond_t freed;
};

struct paper_method {
  /** Called once in each process, with `shared` mapped. False if something is missing. */
  bool (*join)(struct paper_shared *shared);
  void (*leave)(void);
  void (*lock)(struct paper_shared *shared);
  void (*unlock)(struct paper_shared *shared);
  /** Notifies the clients that were served. Called with the lock. */
  void (*notify)(struct paper_shared *shared, const struct paper_served *served);
  /** Releases the lock, sleeps until notified or `deadline_ns`, and takes the lock again. */
  void (*wait)(struct paper_shared *shared, uint64_t deadline_ns);
};

/** Shared memory with a name for each method. */
struct paper_memory {
  char name[64];
  struct paper_shared *shared; /**< the mapping of the process that created it */
};
void paper_memory_make(struct paper_memory *memory, const char *method);
void paper_memory_remove(struct paper_memory *memory);

/** The stages of this process, which becomes a client with `method`; see approach.h. */
int paper_init(const struct paper_method *method, const struct paper_memory *memory);
int paper_reserve(uint64_t bytes, int64_t timeout_ns);
int paper_release(uint64_t bytes);
int paper_shutdown(void);
void paper_take_lock(void);

#endif

/*
 * paper_client.h - a client of the paper's shared memory approach. Its two methods differ only in
 * how access is synchronised and how a waiter is notified.
 */
#ifndef BENCH_PAPER_CLIENT_H
#define BENCH_PAPER_CLIENT_H

#include "paper_data.h"
#include <pthread.h>

/** The shared memory: the data, and what the method with a mutex keeps beside it. */
struct paper_shared {
  struct paper_data data;
  pthread_mutex_t mutex;
  pthread_cond_t freed;
};

struct paper_method {
  /** Once in each process, with `shared` mapped; false if something is missing. */
  bool (*join)(struct paper_shared *shared);
  void (*leave)(void);
  void (*lock)(struct paper_shared *shared);
  void (*unlock)(struct paper_shared *shared);
  /** Tells those who were served; called with the lock. */
  void (*notify)(struct paper_shared *shared, const struct paper_served *served);
  /** Lets the lock go, sleeps until notified or `deadline_ns`, takes the lock again. */
  void (*wait)(struct paper_shared *shared, uint64_t deadline_ns);
};

/** Shared memory under a name of the method's own. */
struct paper_memory {
  char name[64];
  struct paper_shared *shared; /**< as mapped by who made it */
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

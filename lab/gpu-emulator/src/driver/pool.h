/*
 * pool.h - memory pools: freed memory stays in the pool until a synchronization, and up to its
 * threshold longer.
 */
#ifndef EMULATED_GPU_POOL_H
#define EMULATED_GPU_POOL_H

#include "driver.h"

struct CUmemPoolHandle_st {
  unsigned device;
  int is_default, is_managed;
  int on_host;        /* has no device memory */
  int destroyed;      /* is freed with its last block */
  uint64_t threshold; /* bytes that the pool keeps */
  uint64_t max_bytes; /* 0: no limit */
  uint64_t reserved;  /* bytes charged to the device, in chunks */
  uint64_t used;      /* bytes of these in blocks */
  uint64_t reserved_high, used_high;
  uint64_t reuse[3]; /* settings without effect here */
  CUmemoryPool next; /* the next one that the program created */
};

/* Call with the driver locked. Returns the memory of a block to the pool. */
void pool_give(CUmemoryPool pool, size_t bytes);

/* Call with the driver locked, after a wait for a stream, an event or a context: pools shrink to
 * their thresholds. */
void pools_synchronized(void);

#endif

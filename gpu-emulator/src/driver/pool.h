/* Memory pools: what is freed stays with the pool until a synchronization, and up to its threshold
 * for good. */
#ifndef EMULATED_GPU_POOL_H
#define EMULATED_GPU_POOL_H

#include "driver.h"

struct CUmemPoolHandle_st {
  unsigned device;
  int is_default, is_managed;
  int on_host;        /* no device memory */
  int destroyed;      /* freed with its last block */
  uint64_t threshold; /* memory that the pool keeps */
  uint64_t max_bytes; /* 0: no limit */
  uint64_t reserved;  /* charged to the device, in chunks */
  uint64_t used;      /* of that, in blocks */
  uint64_t reserved_high, used_high;
  uint64_t reuse[3]; /* settings without effect here */
  CUmemoryPool next; /* of those that the program made */
};

/* Driver locked. Takes memory of a block back into the pool. */
void pool_give(CUmemoryPool pool, size_t bytes);

/* Driver locked. A stream, an event or a context was waited for: pools shrink to their thresholds.
 */
void pools_synchronized(void);

#endif

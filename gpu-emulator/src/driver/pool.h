/* Memory pools: what is freed stays with the pool up to its threshold. */
#ifndef EMULATED_GPU_POOL_H
#define EMULATED_GPU_POOL_H

#include "driver.h"

/* Driver locked. Takes memory for a block back into the pool. */
void pool_give(CUmemoryPool pool, size_t bytes);

#endif

/*
 * first_try.h - fail first, wait on the retry. PyTorch's allocator caches what the program frees;
 * after out of memory it frees its cache and tries again. A request that waited at once would
 * prevent that, and could wait for memory that the process itself caches. So if a process that
 * holds memory of a device would have to wait for more, its request fails. The next request of the
 * same thread and device that is not larger waits as the job waits. A process without memory (the
 * first allocation in mode `peak`) has nothing to free, and waits. So does another library in
 * PyTorch's process (cuBLAS, NCCL): it does not ask again, and the program would end.
 *
 * What lies beyond the budget fails first too, if PyTorch asks: only what the retry
 * still asks for is needed. So it neither counts as a refusal nor does a growable budget grow until
 * then. If no retry comes, the next request of the thread or the end of the program tells it.
 */
#ifndef SGP_FIRST_TRY_H
#define SGP_FIRST_TRY_H

#include <stdbool.h>
#include <stdint.h>

/**
 * schedgpu_reserve(), with the job's wait. EWOULDBLOCK with `*retry` set: failed on purpose,
 * without a message.
 */
int sgp_first_try_reserve(int device, uint64_t bytes, bool *retry);

/** A forked child has asked for nothing. */
void sgp_first_try_after_fork(void);

#endif

/*
 * first_try.h - fail first, wait on retry. PyTorch's allocator keeps what the program frees; when
 * the driver says out of memory, it gives that back and asks again. A request that waits at once
 * would keep it from doing so, and might wait for the very memory that the process itself keeps.
 *
 * So where a process that holds memory of a device would have to wait for more, its request fails;
 * the next one of the same thread for that device that is not larger waits as the job waits. Who
 * holds nothing (the first allocation of a job in mode `peak`) has nothing to give back, and waits.
 */
#ifndef SGP_FIRST_TRY_H
#define SGP_FIRST_TRY_H

#include <stdbool.h>
#include <stdint.h>

/**
 * schedgpu_reserve(), waiting as the job does. EWOULDBLOCK with `*retry` set: failed on purpose,
 * about which there is nothing to say.
 */
int sgp_first_try_reserve(int device, uint64_t bytes, bool *retry);

#endif

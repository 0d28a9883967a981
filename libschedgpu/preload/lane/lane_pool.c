/*
 * lane_pool.c - allocates blocks of the lane's memory for PyTorch, which asks for a few large ones
 * and divides them itself (torch.cuda.CUDAPluggableAllocator).
 */
#include "lane_memory.h"
#include "schedgpu/schedgpu.h"
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <sys/types.h>

/** First fit, in the order of addresses. PyTorch asks for 2 MiB or more, and caches what it got. */
enum { BLOCKS = 4096, ALIGNMENT = 512 };

struct block {
  uint64_t begin, end; /**< in bytes of the lane */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct block block[BLOCKS]; /* with the lock */
static unsigned blocks;

/** As PyTorch calls them: NULL is out of memory. `stream` does not matter. */
SCHEDGPU_API void *schedgpu_lane_allocate(ssize_t bytes, int device, void *stream);
SCHEDGPU_API void schedgpu_lane_free(void *address, ssize_t bytes, int device, void *stream);

static bool take(uint64_t bytes, uint64_t size, uint64_t *begin) {
  unsigned i = 0;
  *begin = 0;
  while (i < blocks && block[i].begin - *begin < bytes)
    *begin = block[i++].end;
  if (blocks == BLOCKS || (i == blocks && (*begin > size || bytes > size - *begin)))
    return false;
  memmove(&block[i + 1], &block[i], (blocks - i) * sizeof *block);
  block[i] = (struct block){*begin, *begin + bytes};
  blocks++;
  return true;
}

static void give(uint64_t begin) {
  for (unsigned i = 0; i < blocks; i++)
    if (block[i].begin == begin) {
      memmove(&block[i], &block[i + 1], (blocks - i - 1) * sizeof *block);
      blocks--;
      return;
    }
}

void *schedgpu_lane_allocate(ssize_t bytes, int device, void *stream) {
  uint64_t address, size, begin;
  (void)stream;
  if (bytes <= 0 || schedgpu_lane_memory(device, &address, &size) != SCHEDGPU_OK ||
      (uint64_t)bytes > size)
    return NULL;
  uint64_t rounded = ((uint64_t)bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  pthread_mutex_lock(&lock);
  bool taken = take(rounded, size, &begin);
  pthread_mutex_unlock(&lock);
  return taken ? (void *)(uintptr_t)(address + begin) : NULL;
}

void schedgpu_lane_free(void *address, ssize_t bytes, int device, void *stream) {
  uint64_t lane, size;
  (void)bytes, (void)stream;
  if (!address || schedgpu_lane_memory(device, &lane, &size) != SCHEDGPU_OK)
    return;
  pthread_mutex_lock(&lock);
  give((uint64_t)(uintptr_t)address - lane);
  pthread_mutex_unlock(&lock);
}

void sgp_lane_pool_after_fork(void) {
  lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
  blocks = 0;
}

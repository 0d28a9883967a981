/* pools.c - see pools.h. */
#include "pool_table.h"
#include "../hooks/capture.h"
#include "../join/devices.h"
#include <pthread.h>
#include <stdlib.h>

/* In the ledger, ids of pools are in the place of ids of contexts. */
#define FIRST_ID UINT32_C(0x80000000)

/* Held during queries of the driver about pools, never during anything that may wait. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct sgp_pool *pools;
static uint32_t last_id = FIRST_ID;
_Atomic bool sgp_pools_slack;

void sgp_pools_lock(void) {
  pthread_mutex_lock(&lock);
}
void sgp_pools_unlock(void) {
  pthread_mutex_unlock(&lock);
}

static struct sgp_pool *find(CUmemoryPool handle) {
  struct sgp_pool *p = pools;
  while (p && (p->handle != handle || p->gone))
    p = p->next;
  return p;
}

struct sgp_pool *sgp_pool_find_id(uint32_t id) {
  struct sgp_pool *p = pools;
  while (p && p->id != id)
    p = p->next;
  return p;
}

struct sgp_pool *sgp_pool_find_or_add(CUmemoryPool handle, int device) {
  struct sgp_pool *p = find(handle);
  if (p || !(p = malloc(sizeof *p)))
    return p;
  *p = (struct sgp_pool){.handle = handle, .id = ++last_id, .device = device, .next = pools};
  return pools = p;
}

/*
 * The bytes that the driver holds for the pool. A destroyed pool cannot be queried: it keeps its
 * last value until its last allocation is freed.
 */
static uint64_t held(const struct sgp_pool *p) {
  sgp_cuMemPoolGetAttribute get = SGP_CALL(cuMemPoolGetAttribute);
  cuuint64_t reserved = 0;
  if (p->gone)
    return p->live ? p->charged : 0;
  if (!get || get(p->handle, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, &reserved) != CUDA_SUCCESS)
    return p->charged;
  return sgp_units(reserved);
}

static bool may_change(const struct sgp_pool *p) {
  return p->charged != p->live || p->uncharged;
}

uint64_t sgp_pool_settle(struct sgp_pool *p) {
  uint64_t now = held(p), wanted = now + p->in_flight;
  if (p->device == SGP_NO_DEVICE)
    return 0;
  if (p->charged > wanted) {
    sgp_release(p->device, p->charged - wanted);
    p->charged = wanted;
  }
  if (now > p->charged && sgp_reserve_now(p->device, now - p->charged))
    p->charged = now;
  p->uncharged = sgp_minus(now, p->charged);
  if (may_change(p))
    atomic_store_explicit(&sgp_pools_slack, true, memory_order_relaxed);
  return p->uncharged;
}

static bool is_over(const struct sgp_pool *p) {
  return p->gone && !p->live && !p->in_flight && !p->charged;
}

void sgp_pools_drop_destroyed(void) {
  struct sgp_pool **link = &pools;
  while (*link)
    if (is_over(*link)) {
      struct sgp_pool *over = *link;
      *link = over->next;
      free(over);
    } else {
      link = &(*link)->next;
    }
}

void sgp_pool_note(CUmemoryPool handle, int device) {
  sgp_pools_lock();
  sgp_pool_find_or_add(handle, device);
  sgp_pools_unlock();
}

bool sgp_pool_device(CUmemoryPool handle, int *device) {
  sgp_pools_lock();
  const struct sgp_pool *p = find(handle);
  if (p)
    *device = p->device;
  sgp_pools_unlock();
  return p != NULL;
}

void sgp_pool_freed(const struct sgp_entry *entry) {
  sgp_pools_lock();
  struct sgp_pool *p = sgp_pool_find_id(entry->context);
  if (p) {
    p->live = sgp_minus(p->live, entry->bytes);
    atomic_store_explicit(&sgp_pools_slack, true, memory_order_relaxed);
    if (p->gone && !p->live)
      sgp_pool_settle(p);
    sgp_pools_drop_destroyed();
  }
  sgp_pools_unlock();
}

void sgp_pool_leaving(CUmemoryPool handle) {
  sgp_pools_lock();
  struct sgp_pool *p = find(handle);
  __typeof__(&cuMemPoolTrimTo) trim_to = sgp_real(SGP_cuMemPoolTrimTo);
  if (p) {
    if (trim_to)
      trim_to(handle, 0); /* so that its charge until its end is little more than its blocks */
    sgp_pool_settle(p);
    p->gone = true;
  }
  sgp_pools_unlock();
}

void sgp_pool_left(CUmemoryPool handle, CUresult result) {
  sgp_pools_lock();
  for (struct sgp_pool *p = pools; p; p = p->next)
    if (p->handle == handle && p->gone) {
      p->gone = result == CUDA_SUCCESS;
      p->handle = p->gone ? NULL : handle;
      sgp_pool_settle(p);
    }
  sgp_pools_drop_destroyed();
  sgp_pools_unlock();
}

/* Asks the driver about frees that no hook saw (of a graph, for example). */
static void note_unhooked_frees(struct sgp_pool *p) {
  sgp_cuMemPoolGetAttribute get = SGP_CALL(cuMemPoolGetAttribute);
  cuuint64_t used;
  if (p->live && !p->gone && !p->in_flight && get &&
      get(p->handle, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used) == CUDA_SUCCESS)
    p->live = sgp_smaller(p->live, sgp_units(used));
}

static void for_each_of(int device, bool trim) {
  __typeof__(&cuMemPoolTrimTo) trim_to = trim ? sgp_real(SGP_cuMemPoolTrimTo) : NULL;
  bool slack = false;
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
  if (trim)
    mode = sgp_allow_in_capture();
  sgp_pools_lock();
  for (struct sgp_pool *p = pools; p; p = p->next) {
    bool concerned = device == SGP_ALL_DEVICES || p->device == device;
    if (concerned && trim_to && !p->gone && p->charged > p->live)
      trim_to(p->handle, 0);
    if (concerned && may_change(p)) {
      sgp_pool_settle(p);
      note_unhooked_frees(p);
    }
    slack |= may_change(p);
  }
  atomic_store_explicit(&sgp_pools_slack, slack, memory_order_relaxed);
  sgp_pools_unlock();
  if (trim)
    sgp_restore_in_capture(mode);
}

void sgp_pools_settle(int device) {
  for_each_of(device, false);
}

void sgp_pools_trim(int device) {
  for_each_of(device, true);
}

/* As in ledger.c: abandoned, not freed. */
void sgp_pools_after_fork(void) {
  lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
  pools = NULL;
  atomic_store(&sgp_pools_slack, false);
}

#include "pools.h"
#include "devices.h"
#include <pthread.h>
#include <stdlib.h>

#define ROUNDS 3
/* Ids of pools stand where ids of contexts do in the ledger. */
#define FIRST_ID UINT32_C(0x80000000)

struct pool {
  CUmemoryPool handle;
  uint32_t id;
  int device;
  bool gone;          /* or going: the handle may not be used */
  uint64_t charged;   /* reserved for it; never less than the driver holds, but for a moment */
  uint64_t live;      /* allocated and not freed */
  uint64_t in_flight; /* claimed by calls on their way */
  struct pool *next;
};

/* Held over questions to the driver about pools, never over what may wait. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct pool *pools;
static uint32_t last_id = FIRST_ID;
_Atomic bool sgp_pools_slack;

static uint64_t smaller(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

static uint64_t minus(uint64_t a, uint64_t b) {
  return a > b ? a - b : 0;
}

static struct pool *find(CUmemoryPool handle) {
  struct pool *p = pools;
  while (p && (p->handle != handle || p->gone))
    p = p->next;
  return p;
}

static struct pool *find_id(uint32_t id) {
  struct pool *p = pools;
  while (p && p->id != id)
    p = p->next;
  return p;
}

static struct pool *find_or_add(CUmemoryPool handle, int device) {
  struct pool *p = find(handle);
  if (p || !(p = malloc(sizeof *p)))
    return p;
  *p = (struct pool){.handle = handle, .id = ++last_id, .device = device, .next = pools};
  return pools = p;
}

/* What the driver holds for the pool. Of one that is gone nobody can ask: what it held, until its
   last allocation is freed. */
static uint64_t held(const struct pool *p) {
  sgp_cuMemPoolGetAttribute get = SGP_CALL(cuMemPoolGetAttribute);
  cuuint64_t reserved = 0;
  if (p->gone)
    return p->live ? p->charged : 0;
  if (!get || get(p->handle, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, &reserved) != CUDA_SUCCESS)
    return p->charged;
  return sgp_units(reserved);
}

/* Charges what the driver holds, and what calls on their way may make it hold. Returns what it
   holds beyond what could be charged. */
static uint64_t settle(struct pool *p) {
  uint64_t now = held(p), wanted = now + p->in_flight;
  if (p->device == SGP_NO_DEVICE)
    return 0;
  if (p->charged > wanted) {
    sgp_release(p->device, p->charged - wanted);
    p->charged = wanted;
  }
  if (now > p->charged && sgp_reserve_now(p->device, now - p->charged))
    p->charged = now;
  if (p->charged != p->live)
    atomic_store_explicit(&sgp_pools_slack, true, memory_order_relaxed);
  return minus(now, p->charged);
}

static bool is_over(const struct pool *p) {
  return p->gone && !p->live && !p->in_flight && !p->charged;
}

static void drop_the_gone(void) {
  struct pool **link = &pools;
  while (*link)
    if (is_over(*link)) {
      struct pool *over = *link;
      *link = over->next;
      free(over);
    } else {
      link = &(*link)->next;
    }
}

void sgp_pool_note(CUmemoryPool handle, int device) {
  pthread_mutex_lock(&lock);
  find_or_add(handle, device);
  pthread_mutex_unlock(&lock);
}

bool sgp_pool_device(CUmemoryPool handle, int *device) {
  pthread_mutex_lock(&lock);
  const struct pool *p = find(handle);
  if (p)
    *device = p->device;
  pthread_mutex_unlock(&lock);
  return p != NULL;
}

/* Takes up to `bytes` of what is charged and not in use. */
static uint64_t claim(uint32_t id, uint64_t bytes) {
  pthread_mutex_lock(&lock);
  struct pool *p = find_id(id);
  uint64_t taken = p ? smaller(bytes, minus(p->charged, p->live + p->in_flight)) : 0;
  if (p)
    p->in_flight += taken;
  pthread_mutex_unlock(&lock);
  return taken;
}

static void unclaim(uint32_t id, uint64_t bytes) {
  pthread_mutex_lock(&lock);
  struct pool *p = find_id(id);
  if (p)
    p->in_flight -= bytes;
  pthread_mutex_unlock(&lock);
}

/* Adds what was just reserved. */
static void add(uint32_t id, uint64_t bytes) {
  pthread_mutex_lock(&lock);
  struct pool *p = find_id(id);
  if (p) {
    p->charged += bytes;
    p->in_flight += bytes;
  }
  pthread_mutex_unlock(&lock);
}

/* A call that must wait holds nothing meanwhile but what the driver really keeps. */
static void acquire(struct sgp_pool_call *call, uint64_t bytes) {
  int device = call->charge.device;
  call->claimed = claim(call->pool, bytes);
  uint64_t missed = bytes - call->claimed;
  if (missed && !sgp_reserve_now(device, missed)) {
    unclaim(call->pool, call->claimed);
    sgp_pools_settle(device);
    sgp_pools_trim(device);
    call->claimed = claim(call->pool, bytes);
    missed = bytes - call->claimed;
    struct sgp_verdict verdict = sgp_reserve(device, missed);
    if (verdict.refused || !verdict.charged) {
      unclaim(call->pool, call->claimed);
      call->charge = (struct sgp_charge){.refused = verdict.refused, .error = verdict.error};
      return;
    }
  }
  add(call->pool, missed);
  call->claimed += missed;
}

struct sgp_pool_call sgp_pool_begin(CUmemoryPool handle, int device, uint64_t bytes) {
  pthread_mutex_lock(&lock);
  const struct pool *p = find_or_add(handle, device);
  struct sgp_pool_call call = {.charge = sgp_charge_nothing(p && p->device != SGP_NO_DEVICE),
                               .pool = p ? p->id : 0,
                               .bytes = sgp_units(bytes),
                               .rounds = ROUNDS};
  call.charge.device = p ? p->device : SGP_NO_DEVICE;
  pthread_mutex_unlock(&lock);
  if (call.charge.charged)
    acquire(&call, call.bytes);
  return call;
}

static void remember(const struct sgp_pool_call *call, const struct pool *p, CUdeviceptr address) {
  struct sgp_entry stale, entry = {.key = address,
                                   .bytes = call->bytes,
                                   .context = p->id,
                                   .device = (int16_t)p->device,
                                   .kind = SGP_POOLED};
  struct pool *former;
  if (sgp_ledger_put(&entry, &stale) && (former = find_id(stale.context)))
    former->live = minus(former->live, stale.bytes);
}

bool sgp_pool_end(struct sgp_pool_call *call, CUresult result, CUdeviceptr address) {
  if (!call->charge.charged)
    return true;
  pthread_mutex_lock(&lock);
  struct pool *p = find_id(call->pool);
  bool good = true;
  if (p) {
    p->in_flight -= call->claimed;
    if (result == CUDA_SUCCESS)
      p->live += call->bytes;
    call->excess = settle(p);
    good = result != CUDA_SUCCESS || !call->excess || p->gone || call->rounds-- == 0;
    if (!good)
      p->live -= call->bytes;
    else if (result == CUDA_SUCCESS)
      remember(call, p, address);
    drop_the_gone();
  }
  pthread_mutex_unlock(&lock);
  return good;
}

void sgp_pool_again(struct sgp_pool_call *call) {
  sgp_pools_trim(call->charge.device);
  acquire(call, call->bytes + call->excess);
}

void sgp_pool_freed(const struct sgp_entry *entry) {
  pthread_mutex_lock(&lock);
  struct pool *p = find_id(entry->context);
  if (p) {
    p->live = minus(p->live, entry->bytes);
    atomic_store_explicit(&sgp_pools_slack, true, memory_order_relaxed);
    if (p->gone && !p->live)
      settle(p);
    drop_the_gone();
  }
  pthread_mutex_unlock(&lock);
}

void sgp_pool_leaving(CUmemoryPool handle) {
  pthread_mutex_lock(&lock);
  struct pool *p = find(handle);
  if (p) {
    settle(p);
    p->gone = true;
  }
  pthread_mutex_unlock(&lock);
}

void sgp_pool_left(CUmemoryPool handle, CUresult result) {
  pthread_mutex_lock(&lock);
  for (struct pool *p = pools; p; p = p->next)
    if (p->handle == handle && p->gone) {
      p->gone = result == CUDA_SUCCESS;
      p->handle = p->gone ? NULL : handle;
      settle(p);
    }
  drop_the_gone();
  pthread_mutex_unlock(&lock);
}

/* Frees that we did not see (a graph's, say) are known to the driver. */
static void see_unseen_frees(struct pool *p) {
  sgp_cuMemPoolGetAttribute get = SGP_CALL(cuMemPoolGetAttribute);
  cuuint64_t used;
  if (p->live && !p->gone && !p->in_flight && get &&
      get(p->handle, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used) == CUDA_SUCCESS)
    p->live = smaller(p->live, sgp_units(used));
}

static void for_each_of(int device, bool trim) {
  __typeof__(&cuMemPoolTrimTo) trim_to = sgp_real(SGP_cuMemPoolTrimTo);
  bool slack = false;
  pthread_mutex_lock(&lock);
  for (struct pool *p = pools; p; p = p->next) {
    bool concerned = device == SGP_ALL_DEVICES || p->device == device;
    if (concerned && trim && trim_to && !p->gone && p->charged > p->live)
      trim_to(p->handle, 0);
    if (concerned && p->charged != p->live) {
      settle(p);
      see_unseen_frees(p);
    }
    slack |= p->charged != p->live;
  }
  atomic_store_explicit(&sgp_pools_slack, slack, memory_order_relaxed);
  pthread_mutex_unlock(&lock);
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

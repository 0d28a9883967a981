/* pool_call.c - calls that allocate from pools; see pools.h. */
#include "pool_table.h"
#include "reserve.h"
#include "../join/devices.h"

#define ROUNDS 3

/* Claims up to `bytes` of what is charged and not in use. */
static uint64_t claim(uint32_t id, uint64_t bytes) {
  sgp_pools_lock();
  struct sgp_pool *p = sgp_pool_find_id(id);
  uint64_t taken = p ? sgp_smaller(bytes, sgp_minus(p->charged, p->live + p->in_flight)) : 0;
  if (p)
    p->in_flight += taken;
  sgp_pools_unlock();
  return taken;
}

static void unclaim(uint32_t id, uint64_t bytes) {
  sgp_pools_lock();
  struct sgp_pool *p = sgp_pool_find_id(id);
  if (p)
    p->in_flight -= bytes;
  sgp_pools_unlock();
}

/* Adds what was just reserved. */
static void add(uint32_t id, uint64_t bytes) {
  sgp_pools_lock();
  struct sgp_pool *p = sgp_pool_find_id(id);
  if (p) {
    p->charged += bytes;
    p->in_flight += bytes;
  }
  sgp_pools_unlock();
}

/*
 * Releases everything that the driver does not hold, because a call that waits holds nothing else.
 */
static void acquire(struct sgp_pool_call *call, uint64_t bytes) {
  int device = call->charge.device;
  call->claimed = claim(call->pool, bytes);
  uint64_t to_reserve = bytes - call->claimed;
  if (to_reserve && !sgp_reserve_now(device, to_reserve)) {
    unclaim(call->pool, call->claimed);
    sgp_pools_settle(device);
    sgp_pools_trim(device);
    call->claimed = claim(call->pool, bytes);
    to_reserve = bytes - call->claimed;
    struct sgp_verdict verdict = sgp_reserve(device, to_reserve);
    if (verdict.refused || !verdict.charged) {
      unclaim(call->pool, call->claimed);
      call->charge = (struct sgp_charge){.refused = verdict.refused, .error = verdict.error};
      return;
    }
  }
  add(call->pool, to_reserve);
  call->claimed += to_reserve;
}

struct sgp_pool_call sgp_pool_begin(CUmemoryPool handle, int device, uint64_t bytes) {
  sgp_pools_lock();
  const struct sgp_pool *p = sgp_pool_find_or_add(handle, device);
  struct sgp_pool_call call = {.charge = sgp_charge_nothing(p && p->device != SGP_NO_DEVICE),
                               .pool = p ? p->id : 0,
                               .bytes = sgp_units(bytes),
                               .rounds = ROUNDS};
  call.charge.device = p ? p->device : SGP_NO_DEVICE;
  sgp_pools_unlock();
  if (call.charge.charged)
    acquire(&call, call.bytes);
  return call;
}

static void remember(const struct sgp_pool_call *call, const struct sgp_pool *p,
                     CUdeviceptr address) {
  struct sgp_entry stale, entry = {.key = address,
                                   .bytes = call->bytes,
                                   .context = p->id,
                                   .device = (int16_t)p->device,
                                   .kind = SGP_POOLED};
  struct sgp_pool *former;
  if (sgp_ledger_put(&entry, &stale) && (former = sgp_pool_find_id(stale.context)))
    former->live = sgp_minus(former->live, stale.bytes);
}

bool sgp_pool_end(struct sgp_pool_call *call, CUresult result, CUdeviceptr address) {
  if (!call->charge.charged)
    return true;
  sgp_pools_lock();
  struct sgp_pool *p = sgp_pool_find_id(call->pool);
  bool good = true;
  if (p) {
    p->in_flight -= call->claimed;
    if (result == CUDA_SUCCESS)
      p->live += call->bytes;
    call->excess = sgp_pool_settle(p);
    good = result != CUDA_SUCCESS || !call->excess || p->gone || call->rounds-- == 0;
    if (!good)
      p->live -= call->bytes;
    else if (result == CUDA_SUCCESS)
      remember(call, p, address);
    sgp_pools_drop_destroyed();
  }
  sgp_pools_unlock();
  return good;
}

void sgp_pool_again(struct sgp_pool_call *call) {
  sgp_pools_trim(call->charge.device);
  acquire(call, call->bytes + call->excess);
}

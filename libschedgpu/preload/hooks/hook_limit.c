/*
 * hook_limit.c - hooks of limits: memory that a context keeps for its kernels, the heap of malloc()
 * and the buffer of printf() in kernels. The initial sizes are part of the cost of a context. What
 * is set beyond them is reserved exactly, and ends with the context. The other limits depend on the
 * device and the kernels: they are overhead.
 */
#include "../account/charge.h"

#define UNIT_BYTES UINT64_C(512) /* of the account */

static bool takes_memory(CUlimit limit) {
  return limit == CU_LIMIT_MALLOC_HEAP_SIZE || limit == CU_LIMIT_PRINTF_FIFO_SIZE;
}

static bool get(CUlimit limit, size_t *value) {
  sgp_cuCtxGetLimit get_limit = SGP_CALL(cuCtxGetLimit);
  return get_limit && get_limit(value, limit) == CUDA_SUCCESS;
}

/* Bytes that a limit of `value` takes beyond `base`. */
static uint64_t beyond(uint64_t base, uint64_t value) {
  uint64_t bytes = value > base ? value - base : 0;
  return bytes > UINT64_MAX - UNIT_BYTES ? bytes
                                         : (bytes + UNIT_BYTES - 1) / UNIT_BYTES * UNIT_BYTES;
}

/* Releases the part of a reservation that is not needed. */
static void keep(struct sgp_entry *entry, uint64_t bytes) {
  if (bytes >= entry->bytes)
    return;
  sgp_release(entry->device, entry->bytes - bytes);
  entry->bytes = bytes;
}

/*
 * Sets the limit. `entry` is the reservation for it, and becomes what is needed. The driver may set
 * more than was asked: then it is set back, and set again once that is reserved.
 */
static CUresult set(CUresult (*real)(CUlimit, size_t), CUlimit limit, size_t value, size_t former,
                    struct sgp_entry *entry) {
  uint64_t base = sgp_context_first_limit(entry->context, limit, former);
  uint64_t had = entry->bytes, bytes = beyond(base, value);
  for (;;) {
    struct sgp_charge more = sgp_charge_here(bytes > had ? bytes - had : 0);
    if (more.refused)
      return more.error;
    if (more.charged)
      entry->bytes += more.bytes;
    CUresult result;
    do
      result = real(limit, value);
    while (sgp_charge_retry(&more, result));
    size_t now;
    uint64_t needed = result != CUDA_SUCCESS ? had : get(limit, &now) ? beyond(base, now) : bytes;
    keep(entry, needed);
    if (!more.charged || needed <= entry->bytes || real(limit, former) != CUDA_SUCCESS)
      return result;
    keep(entry, had);
    bytes = needed;
  }
}

CUresult cuCtxSetLimit(CUlimit limit, size_t value) {
  SGP_BEGIN(cuCtxSetLimit, limit, value);
  size_t former;
  struct sgp_place place = takes_memory(limit) ? sgp_current_place() : (struct sgp_place){0};
  if (place.refused)
    return place.error;
  if (!place.context_id || !get(limit, &former))
    return real(limit, value);
  struct sgp_entry stale, entry = {.key = (uint64_t)place.context_id << 8 | (uint64_t)limit,
                                   .context = place.context_id,
                                   .device = (int16_t)place.ordinal,
                                   .kind = SGP_LIMIT};
  struct sgp_entry known;
  if (sgp_ledger_take(SGP_LIMIT, entry.key, &known))
    entry.bytes = known.bytes;
  CUresult result = set(real, limit, value, former, &entry);
  if (entry.bytes && sgp_ledger_put(&entry, &stale))
    sgp_release(stale.device, stale.bytes);
  return result;
}

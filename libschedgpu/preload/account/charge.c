/* charge.c - see charge.h. */
#include "charge.h"
#include "reserve.h"
#include "../join/devices.h"
#include "late.h"
#include "sizes.h"
#include "pools.h"

_Thread_local bool sgp_inside;

static struct sgp_charge refused(CUresult error) {
  return (struct sgp_charge){.refused = true, .error = error};
}

static struct sgp_charge reserve(int device, uint32_t context, uint64_t bytes) {
  struct sgp_verdict verdict = sgp_reserve(device, bytes);
  if (verdict.refused)
    return refused(verdict.error);
  return (struct sgp_charge){
      .charged = verdict.charged, .bytes = bytes, .device = (int16_t)device, .context = context};
}

struct sgp_charge sgp_charge_here(uint64_t bytes) {
  if (sgp_mode() == SGP_MODE_REFUSE)
    return refused(CUDA_ERROR_NOT_PERMITTED);
  struct sgp_place place = sgp_current_place();
  if (place.refused)
    return refused(place.error);
  if (place.ordinal == SGP_NO_DEVICE)
    return sgp_charge_nothing(false);
  return reserve(place.ordinal, place.context_id, bytes);
}

struct sgp_charge sgp_charge_on(CUdevice device, uint64_t bytes) {
  if (sgp_mode() == SGP_MODE_REFUSE)
    return refused(CUDA_ERROR_NOT_PERMITTED);
  int ordinal = sgp_device_ordinal(device);
  if (ordinal == SGP_NO_DEVICE)
    return sgp_charge_nothing(false);
  return reserve(ordinal, 0, bytes);
}

struct sgp_charge sgp_charge_nothing(bool charged) {
  return (struct sgp_charge){.charged = charged, .device = SGP_NO_DEVICE};
}

bool sgp_charge_retry(struct sgp_charge *charge, CUresult result) {
  if (__builtin_expect(result != CUDA_ERROR_OUT_OF_MEMORY, 1)) {
    if (charge->pauses)
      sgp_late_memory_came();
    return false;
  }
  return charge->charged && sgp_late_memory_pause(charge->device, charge->pauses++);
}

void sgp_charge_lower(struct sgp_charge *charge, uint64_t bytes) {
  if (!charge->charged || bytes >= charge->bytes)
    return;
  uint64_t spare = (charge->bytes - bytes) / SGP_PITCH_BYTES * SGP_PITCH_BYTES;
  if (spare == 0)
    return;
  sgp_release(charge->device, spare);
  charge->bytes -= spare;
}

void sgp_charge_settle(const struct sgp_charge *charge, CUresult result, enum sgp_kind kind,
                       uint64_t key) {
  if (!charge->charged)
    return;
  struct sgp_entry stale;
  if (result != CUDA_SUCCESS || key == 0) {
    sgp_release(charge->device, charge->bytes);
    return;
  }
  struct sgp_entry entry = {.key = key,
                            .bytes = charge->bytes,
                            .context = charge->context,
                            .device = charge->device,
                            .kind = (uint16_t)kind};
  if (sgp_ledger_put(&entry, &stale))
    sgp_release(stale.device, stale.bytes);
}

void sgp_free_settle(const struct sgp_entry *entry, CUresult result) {
  struct sgp_entry stale;
  if (result == CUDA_SUCCESS && entry->kind == SGP_POOLED)
    sgp_pool_freed(entry);
  else if (result == CUDA_SUCCESS)
    sgp_release(entry->device, entry->bytes);
  else if (sgp_ledger_put(entry, &stale))
    sgp_release(stale.device, stale.bytes);
}

/*
 * charge.h - the life of one allocation: reserve it, let the driver allocate, record it; and free
 * it. The hooks use it by macros:
 *
 *   SGP_BEGIN(cuMemAlloc_v2, address, bytes);
 *   SGP_ALLOCATE(SGP_ADDRESS, sgp_charge_here(bytes), real(address, bytes), *address);
 */
#ifndef SGP_CHARGE_H
#define SGP_CHARGE_H

#include "contexts.h"
#include "ledger.h"
#include "../resolve/resolve.h"
#include "../join/schedule.h"
#include "sizes.h"

/**
 * True while this thread is in a hook; calls that the driver makes itself are not charged again.
 */
extern _Thread_local bool sgp_inside;
static inline void sgp_end_hook(const bool *unused) {
  (void)unused;
  sgp_inside = false;
}

/**
 * Begins a hook: declares `real`, and passes the call on if there is nothing to charge. The
 * variable's clean-up ends the hook.
 */
#define SGP_BEGIN(name, ...) SGP_BEGIN_OR(CUDA_ERROR_STUB_LIBRARY, name, __VA_ARGS__)
/** The same, with the error to return if there is no function behind the hook. */
#define SGP_BEGIN_OR(missing, name, ...)                                                           \
  __typeof__(&name) real = (__typeof__(&name))sgp_real(SGP_##name);                                \
  if (!real)                                                                                       \
    return missing;                                                                                \
  if (sgp_inside || sgp_mode() == SGP_MODE_OFF)                                                    \
    return real(__VA_ARGS__);                                                                      \
  __attribute__((cleanup(sgp_end_hook), unused)) const bool sgp_scope = sgp_inside = true

/**
 * The state of an allocation between request and result. Two words, so that it is returned in
 * registers, because every allocation uses it.
 */
struct sgp_charge {
  union {
    uint64_t bytes;
    CUresult error; /**< error to return, if refused */
  };
  uint32_t context;
  int16_t device;
  uint8_t pauses; /**< pauses so far, for memory that the driver frees late (late.h) */
  bool charged : 1;
  bool refused : 1; /**< do not call the driver, return `error` */
};
_Static_assert(sizeof(struct sgp_charge) == 16, "it is returned in two registers");

/** Reserves `bytes` in the current context, and waits as the job does. */
struct sgp_charge sgp_charge_here(uint64_t bytes);
/** The same on `device`, for memory that belongs to no context. */
struct sgp_charge sgp_charge_on(CUdevice device, uint64_t bytes);
/** An empty charge, for a call that is only retried. */
struct sgp_charge sgp_charge_nothing(bool charged);

/** True if the driver is to be called again, after a pause (late.h). */
bool sgp_charge_retry(struct sgp_charge *charge, CUresult result);

/** Settles a charge: releases the reservation if the driver failed, else records it under `key`. */
void sgp_charge_settle(const struct sgp_charge *charge, CUresult result, enum sgp_kind kind,
                       uint64_t key);

/** Releases the part of the reservation beyond `bytes`, in units of the account. */
void sgp_charge_lower(struct sgp_charge *charge, uint64_t bytes);

/** Charges, performs `call`, records it under `key` (read only on success), and returns. */
#define SGP_ALLOCATE(kind, charge_expression, call, key)                                           \
  do {                                                                                             \
    struct sgp_charge charge = (charge_expression);                                                \
    if (charge.refused)                                                                            \
      return charge.error;                                                                         \
    CUresult result;                                                                               \
    do                                                                                             \
      result = (call);                                                                             \
    while (sgp_charge_retry(&charge, result));                                                     \
    sgp_charge_settle(&charge, result, (kind), result == CUDA_SUCCESS ? (uint64_t)(key) : 0);      \
    return result;                                                                                 \
  } while (0)

/**
 * The same if only the driver knows the true size, after the call: `true_bytes`, for a reservation
 * of `guess_bytes`. If it is larger, the call is undone, the reservation released, and the true
 * size requested. So a process never holds memory while it waits for more.
 */
#define SGP_ALLOCATE_MEASURED(kind, guess_bytes, call, true_bytes, undo, key)                      \
  do {                                                                                             \
    uint64_t guess = (guess_bytes);                                                                \
    for (;;) {                                                                                     \
      struct sgp_charge charge = sgp_charge_here(guess);                                           \
      if (charge.refused)                                                                          \
        return charge.error;                                                                       \
      CUresult result;                                                                             \
      do                                                                                           \
        result = (call);                                                                           \
      while (sgp_charge_retry(&charge, result));                                                   \
      uint64_t needed = result == CUDA_SUCCESS ? (true_bytes) : 0;                                 \
      if (charge.charged && needed > guess && (undo) == CUDA_SUCCESS) {                            \
        sgp_release(charge.device, charge.bytes);                                                  \
        guess = needed;                                                                            \
        continue;                                                                                  \
      }                                                                                            \
      if (result == CUDA_SUCCESS)                                                                  \
        sgp_charge_lower(&charge, needed);                                                         \
      sgp_charge_settle(&charge, result, (kind), result == CUDA_SUCCESS ? (uint64_t)(key) : 0);    \
      return result;                                                                               \
    }                                                                                              \
  } while (0)

/**
 * Frees: removes the entry before calling the driver, because another thread may get the same
 * address at once, and restores it if the driver refuses. An unknown key is passed to the driver.
 */
#define SGP_FREE(kind, key, call)                                                                  \
  do {                                                                                             \
    struct sgp_entry entry;                                                                        \
    bool known = sgp_ledger_take((kind), (uint64_t)(key), &entry);                                 \
    CUresult result = (call);                                                                      \
    if (known)                                                                                     \
      sgp_free_settle(&entry, result);                                                             \
    return result;                                                                                 \
  } while (0)

/** The same for a device address, of a pool or not. */
#define SGP_FREE_ADDRESS(address, call)                                                            \
  do {                                                                                             \
    struct sgp_entry entry;                                                                        \
    bool known = sgp_ledger_take(SGP_ADDRESS, (uint64_t)(address), &entry) ||                      \
                 sgp_ledger_take(SGP_POOLED, (uint64_t)(address), &entry);                         \
    CUresult result = (call);                                                                      \
    if (known)                                                                                     \
      sgp_free_settle(&entry, result);                                                             \
    return result;                                                                                 \
  } while (0)

void sgp_free_settle(const struct sgp_entry *entry, CUresult result);

#endif

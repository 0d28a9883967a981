/* entry.c - the look-up of functions by name, version and kind of default stream. */
#include "driver.h"
#include "emulated_gpu.h"
#include "../shared/identity.h"
#include "../shared/log.h"

#include <stdlib.h>
#include <string.h>

struct entry {
  const char *name;
  int version;
  int per_thread;
  void *function;
};

#define ENTRY(name, version, per_thread, symbol) {name, version, per_thread, (void *)symbol},
static const struct entry entries[] = {
#include "entry_points.def"
};
#undef ENTRY

static const size_t entry_count = sizeof entries / sizeof *entries;

static int has_per_thread(const char *name) {
  for (const struct entry *e = entries; e < entries + entry_count; e++)
    if (e->per_thread && !strcmp(e->name, name))
      return 1;
  return 0;
}

/* Finds the newest variant up to the requested version, which NVIDIA's driver compares without a
 * sign. Who asks for per-thread streams gets no other variant of a function that has them.
 * `known`: the name exists in some version. */
static const struct entry *find(const char *name, unsigned version, int per_thread, int *known) {
  const struct entry *best = NULL;
  per_thread = per_thread && has_per_thread(name);
  for (const struct entry *e = entries; e < entries + entry_count; e++) {
    if (strcmp(e->name, name))
      continue;
    *known = 1;
    if (e->per_thread == per_thread && (unsigned)e->version <= version &&
        (!best || e->version > best->version))
      best = e;
  }
  return best;
}

/* NVIDIA's driver dies of a NULL name or place, so nobody may rely on an answer. */
static void need_pointers(const char *symbol, void **function) {
  if (symbol && function)
    return;
  log_error("cuGetProcAddress was called without a %s, which crashes NVIDIA's driver: the caller "
            "must give one",
            symbol ? "place for the function" : "name");
  abort();
}

CUresult cuGetProcAddress_v2(const char *symbol, void **function, int version, cuuint64_t flags,
                             CUdriverProcAddressQueryResult *status) {
  need_pointers(symbol, function);
  NEED(!(flags & ~(cuuint64_t)(CU_GET_PROC_ADDRESS_LEGACY_STREAM |
                               CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM)));
  int known = 0;
  const struct entry *entry = find(
      symbol, (unsigned)version, !!(flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM), &known);
  *function = entry ? entry->function : NULL;
  if (status)
    *status = entry   ? CU_GET_PROC_ADDRESS_SUCCESS
              : known ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
                      : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  return CUDA_SUCCESS;
}

/* The first one has no status: it refuses, and leaves the place as it was. */
CUresult cuGetProcAddress(const char *symbol, void **function, int version, cuuint64_t flags) {
  need_pointers(symbol, function);
  void *found;
  TRY(cuGetProcAddress_v2(symbol, &found, version, flags, NULL));
  if (!found)
    return CUDA_ERROR_NOT_FOUND;
  *function = found;
  return CUDA_SUCCESS;
}

/* NVIDIA's runtime gets undocumented tables here and uses them to check that the driver is
 * NVIDIA's. The emulator does not imitate that: it prints once what to do instead. */
CUresult cuGetExportTable(const void **table, const CUuuid *id) {
  static int said;
  if (table)
    *table = NULL;
  if (!__atomic_exchange_n(&said, 1, __ATOMIC_RELAXED))
    log_error("this program carries NVIDIA's CUDA runtime, which runs on NVIDIA's driver only: "
              "link it with the emulator's libcudart (nvcc -cudart shared)");
  return CUDA_ERROR_NOT_FOUND;
}

CUresult cuDriverGetVersion(int *version) {
  NEED(version);
  *version = IDENTITY_DRIVER_VERSION;
  return CUDA_SUCCESS;
}

CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode *mode) {
  NEED(mode);
  *mode = CU_MODULE_LAZY_LOADING;
  return CUDA_SUCCESS;
}

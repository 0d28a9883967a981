/* entry.c - the look-up of functions by name, version and kind of default stream. */
#include "driver.h"
#include "emulated_gpu.h"
#include "../shared/identity.h"
#include "../shared/log.h"

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

/* Finds the newest variant up to the requested version; a per-thread variant comes first if the
 * caller asks for those. `known`: the name exists in some version. */
static const struct entry *find(const char *name, int version, int per_thread, int *known) {
  const struct entry *best = NULL;
  for (const struct entry *e = entries; e < entries + entry_count; e++) {
    if (strcmp(e->name, name))
      continue;
    *known = 1;
    if (e->version > version || (e->per_thread && !per_thread))
      continue;
    if (!best || e->per_thread > best->per_thread ||
        (e->per_thread == best->per_thread && e->version > best->version))
      best = e;
  }
  return best;
}

CUresult cuGetProcAddress_v2(const char *symbol, void **function, int version, cuuint64_t flags,
                             CUdriverProcAddressQueryResult *status) {
  NEED(symbol && function);
  int known = 0;
  const struct entry *entry =
      find(symbol, version, !!(flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM), &known);
  *function = entry ? entry->function : NULL;
  if (status)
    *status = entry   ? CU_GET_PROC_ADDRESS_SUCCESS
              : known ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
                      : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  return entry ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

CUresult cuGetProcAddress(const char *symbol, void **function, int version, cuuint64_t flags) {
  return cuGetProcAddress_v2(symbol, function, version, flags, NULL);
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

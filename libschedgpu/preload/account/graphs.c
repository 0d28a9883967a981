/* graphs.c - see graphs.h. */
#include "graphs.h"
#include "../hooks/capture.h"
#include "../join/schedule.h"
#include "../resolve/resolve.h"
#include "sizes.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define STREAMS 8 /* streams whose memory is recorded, per device */

struct exec {
  CUgraphExec handle;
  struct sgp_footprint footprint;
  CUstream stream; /* stream of its last run */
  uint64_t generation[SGP_FOOTPRINT_DEVICES];
  struct exec *next;
};

/* Memory that the driver holds for graphs on a device. */
static struct account {
  bool known;
  CUdevice device;
  uint64_t charged, in_flight;
  uint64_t generation; /* changes when the driver frees something; not 0 */
  struct {
    CUstream stream;
    uint64_t bytes;
  } ran[STREAMS]; /* memory of earlier launches, which the next launch in the stream reuses */
  unsigned next_ran;
} account[SGP_FOOTPRINT_DEVICES];

/* Held during queries of the driver about graph memory, never during anything that may wait. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct exec *execs;
_Atomic bool sgp_graphs_memory;

static struct exec **find(CUgraphExec handle) {
  struct exec **link = &execs;
  while (*link && (*link)->handle != handle)
    link = &(*link)->next;
  return link;
}

void sgp_graph_add(CUgraphExec handle, const struct sgp_footprint *footprint) {
  struct exec *fresh = malloc(sizeof *fresh);
  if (!fresh)
    return;
  pthread_mutex_lock(&lock);
  *fresh = (struct exec){.handle = handle, .footprint = *footprint, .next = execs};
  execs = fresh;
  atomic_store_explicit(&sgp_graphs_memory, true, memory_order_relaxed);
  pthread_mutex_unlock(&lock);
}

bool sgp_graph_remove(CUgraphExec handle, struct sgp_footprint *footprint) {
  pthread_mutex_lock(&lock);
  struct exec **link = find(handle), *exec = *link;
  if (exec) {
    *footprint = exec->footprint;
    *link = exec->next;
  }
  pthread_mutex_unlock(&lock);
  free(exec);
  return exec != NULL;
}

static uint64_t held(const struct account *a) {
  sgp_cuDeviceGetGraphMemAttribute get = SGP_CALL(cuDeviceGetGraphMemAttribute);
  cuuint64_t reserved = 0;
  if (!get || get(a->device, CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT, &reserved) != CUDA_SUCCESS)
    return a->charged;
  return sgp_units(reserved);
}

/* Does what settle() in pools.c does. */
static uint64_t settle(int ordinal) {
  struct account *a = &account[ordinal];
  uint64_t now = held(a), wanted = now + a->in_flight;
  if (a->charged > wanted) {
    sgp_release(ordinal, a->charged - wanted);
    a->charged = wanted;
  }
  if (now > a->charged && sgp_reserve_now(ordinal, now - a->charged))
    a->charged = now;
  return sgp_minus(now, a->charged);
}

/* Memory may have been freed: what is known of streams and execs is invalid. */
static void settle_after_free(int ordinal) {
  struct account *a = &account[ordinal];
  if (!a->known)
    return;
  uint64_t before = a->charged;
  settle(ordinal);
  if (a->charged >= before)
    return;
  a->generation++;
  memset(a->ran, 0, sizeof a->ran);
}

static uint64_t ran(const struct account *a, CUstream stream) {
  for (int i = 0; i < STREAMS; i++)
    if (a->ran[i].bytes && a->ran[i].stream == stream)
      return a->ran[i].bytes;
  return 0;
}

static void remember_run(struct account *a, CUstream stream, uint64_t bytes) {
  unsigned i = 0;
  while (i < STREAMS && !(a->ran[i].bytes && a->ran[i].stream == stream))
    i++;
  if (i == STREAMS)
    a->ran[i = a->next_ran++ % STREAMS].bytes = 0;
  a->ran[i].stream = stream;
  if (a->ran[i].bytes < bytes)
    a->ran[i].bytes = bytes;
}

void sgp_graph_needs(CUgraphExec handle, CUstream stream, const struct sgp_footprint *footprint,
                     int ordinal, struct sgp_graph_need *need) {
  struct account *a = &account[ordinal];
  pthread_mutex_lock(&lock);
  const struct exec *exec = *find(handle);
  if (!a->known) {
    a->known = true;
    a->device = footprint->on[ordinal].device;
    a->generation = 1;
  }
  bool ready = exec && exec->stream == stream && exec->generation[ordinal] == a->generation;
  uint64_t left = ran(a, stream);
  need->most = ready ? 0 : sgp_minus(footprint->on[ordinal].most, left);
  need->least = ready ? 0 : sgp_minus(footprint->on[ordinal].least, left);
  need->fresh = !ready;
  pthread_mutex_unlock(&lock);
}

void sgp_graphs_claim(int ordinal, uint64_t bytes) {
  pthread_mutex_lock(&lock);
  account[ordinal].charged += bytes;
  account[ordinal].in_flight += bytes;
  pthread_mutex_unlock(&lock);
}

uint64_t sgp_graphs_settle_claim(int ordinal, uint64_t bytes) {
  pthread_mutex_lock(&lock);
  account[ordinal].in_flight -= bytes;
  uint64_t excess = settle(ordinal);
  pthread_mutex_unlock(&lock);
  return excess;
}

bool sgp_graph_find(CUgraphExec handle, struct sgp_footprint *footprint) {
  pthread_mutex_lock(&lock);
  const struct exec *exec = *find(handle);
  if (exec)
    *footprint = exec->footprint;
  pthread_mutex_unlock(&lock);
  return exec != NULL;
}

void sgp_graph_ran(CUgraphExec handle, CUstream stream, const struct sgp_footprint *footprint) {
  pthread_mutex_lock(&lock);
  struct exec *exec = *find(handle);
  for (int o = 0; o < SGP_FOOTPRINT_DEVICES; o++) {
    struct account *a = &account[o];
    uint64_t most = footprint->on[o].most;
    if (!most)
      continue;
    remember_run(a, stream, most < a->charged ? most : a->charged);
    if (exec)
      exec->generation[o] = a->generation;
  }
  if (exec)
    exec->stream = stream;
  pthread_mutex_unlock(&lock);
}

void sgp_graphs_settle(void) {
  bool memory = false;
  pthread_mutex_lock(&lock);
  for (int o = 0; o < SGP_FOOTPRINT_DEVICES; o++) {
    settle_after_free(o);
    memory |= account[o].charged != 0;
  }
  atomic_store_explicit(&sgp_graphs_memory, memory || execs, memory_order_relaxed);
  pthread_mutex_unlock(&lock);
}

void sgp_graphs_trim(int ordinal) {
  __typeof__(&cuDeviceGraphMemTrim) trim = sgp_real(SGP_cuDeviceGraphMemTrim);
  if (ordinal < 0 || ordinal >= SGP_FOOTPRINT_DEVICES)
    return;
  CUstreamCaptureMode mode = sgp_allow_in_capture();
  pthread_mutex_lock(&lock);
  if (trim && account[ordinal].known)
    trim(account[ordinal].device);
  settle_after_free(ordinal);
  pthread_mutex_unlock(&lock);
  sgp_restore_in_capture(mode);
}

/* As in ledger.c: abandoned, not freed. */
void sgp_graphs_after_fork(void) {
  lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
  execs = NULL;
  memset(account, 0, sizeof account);
  atomic_store(&sgp_graphs_memory, false);
}

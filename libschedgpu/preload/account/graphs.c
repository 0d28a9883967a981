/* graphs.c - see graphs.h. */
#include "graphs.h"
#include "../hooks/capture.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS 3
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

/* The memory that a run needs on a device beyond what earlier runs of the stream left. */
static void need(struct sgp_graph_call *call, int o, uint64_t *most, uint64_t *least) {
  struct account *a = &account[o];
  pthread_mutex_lock(&lock);
  const struct exec *exec = *find(call->exec);
  if (!a->known) {
    a->known = true;
    a->device = call->footprint.on[o].device;
    a->generation = 1;
  }
  bool ready = exec && exec->stream == call->stream && exec->generation[o] == a->generation;
  uint64_t left = ran(a, call->stream);
  *most = ready ? 0 : sgp_minus(call->footprint.on[o].most, left);
  *least = ready ? 0 : sgp_minus(call->footprint.on[o].least, left);
  call->fresh |= !ready;
  pthread_mutex_unlock(&lock);
}

static void claim(struct sgp_graph_call *call, int o, uint64_t bytes) {
  pthread_mutex_lock(&lock);
  account[o].charged += bytes;
  account[o].in_flight += bytes;
  pthread_mutex_unlock(&lock);
  call->claimed[o] += bytes;
}

/* Releases the claimed memory that the driver did not take. */
static bool settle_claims(struct sgp_graph_call *call) {
  bool good = true;
  pthread_mutex_lock(&lock);
  for (int o = 0; o < SGP_FOOTPRINT_DEVICES; o++) {
    if (!call->footprint.on[o].most)
      continue;
    account[o].in_flight -= call->claimed[o];
    call->claimed[o] = 0;
    call->excess[o] = settle(o);
    good &= call->excess[o] == 0;
  }
  pthread_mutex_unlock(&lock);
  return good;
}

/*
 * If not all of it fits now, requests only what is certainly needed, and waits for that as the job
 * does.
 */
static void acquire(struct sgp_graph_call *call, int o) {
  uint64_t most, least;
  need(call, o, &most, &least);
  if (!call->excess[o] && (!most || sgp_reserve_now(o, most))) {
    claim(call, o, most);
    return;
  }
  sgp_graphs_trim(o);
  need(call, o, &most, &least);
  least += call->excess[o];
  struct sgp_verdict verdict = sgp_reserve(o, least);
  if (verdict.charged)
    claim(call, o, least);
  else if (verdict.refused)
    call->charge = (struct sgp_charge){.refused = true, .error = verdict.error};
}

static void acquire_all(struct sgp_graph_call *call) {
  for (int o = 0; o < SGP_FOOTPRINT_DEVICES && !call->charge.refused; o++)
    if (call->footprint.on[o].most)
      acquire(call, o);
  if (call->charge.refused)
    settle_claims(call);
}

struct sgp_graph_call sgp_graph_begin_new(const struct sgp_footprint *footprint, CUstream stream) {
  struct sgp_graph_call call = {.charge = sgp_charge_nothing(footprint->any),
                                .stream = stream,
                                .footprint = *footprint,
                                .rounds = ROUNDS};
  acquire_all(&call);
  return call;
}

struct sgp_graph_call sgp_graph_begin(CUgraphExec handle, CUstream stream) {
  struct sgp_graph_call call = {
      .charge = sgp_charge_nothing(false), .exec = handle, .stream = stream, .rounds = ROUNDS};
  pthread_mutex_lock(&lock);
  const struct exec *exec = *find(handle);
  if (exec) {
    call.footprint = exec->footprint;
    call.charge.charged = true;
  }
  pthread_mutex_unlock(&lock);
  if (call.charge.charged)
    acquire_all(&call);
  return call;
}

bool sgp_graph_check(struct sgp_graph_call *call) {
  return settle_claims(call) || call->rounds-- == 0;
}

void sgp_graph_again(struct sgp_graph_call *call) {
  acquire_all(call);
}

void sgp_graph_end(struct sgp_graph_call *call, CUresult result) {
  if (!call->charge.charged)
    return;
  settle_claims(call);
  if (result != CUDA_SUCCESS)
    return;
  pthread_mutex_lock(&lock);
  struct exec *exec = *find(call->exec);
  for (int o = 0; o < SGP_FOOTPRINT_DEVICES; o++) {
    struct account *a = &account[o];
    uint64_t most = call->footprint.on[o].most;
    if (!most)
      continue;
    remember_run(a, call->stream, most < a->charged ? most : a->charged);
    if (exec)
      exec->generation[o] = a->generation;
  }
  if (exec)
    exec->stream = call->stream;
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

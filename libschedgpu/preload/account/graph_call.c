/* graph_call.c - see graph_call.h. */
#include "graph_call.h"
#include "graphs.h"
#include "reserve.h"

#define ROUNDS 3

/* The memory that a run needs on a device beyond what earlier runs of the stream left. */
static struct sgp_graph_need need(struct sgp_graph_call *call, int o) {
  struct sgp_graph_need need;
  sgp_graph_needs(call->exec, call->stream, &call->footprint, o, &need);
  call->fresh |= need.fresh;
  return need;
}

static void claim(struct sgp_graph_call *call, int o, uint64_t bytes) {
  sgp_graphs_claim(o, bytes);
  call->claimed[o] += bytes;
}

/* Releases the claimed memory that the driver did not take. */
static bool settle_claims(struct sgp_graph_call *call) {
  bool good = true;
  for (int o = 0; o < SGP_FOOTPRINT_DEVICES; o++) {
    if (!call->footprint.on[o].most)
      continue;
    call->excess[o] = sgp_graphs_settle_claim(o, call->claimed[o]);
    call->claimed[o] = 0;
    good &= call->excess[o] == 0;
  }
  return good;
}

/*
 * If not all of it fits now, requests only what is certainly needed, and waits for that as the job
 * does.
 */
static void acquire(struct sgp_graph_call *call, int o) {
  struct sgp_graph_need all = need(call, o);
  if (!call->excess[o] && (!all.most || sgp_reserve_now(o, all.most))) {
    claim(call, o, all.most);
    return;
  }
  sgp_graphs_trim(o);
  uint64_t least = need(call, o).least + call->excess[o];
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
  call.charge.charged = sgp_graph_find(handle, &call.footprint);
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
  if (result == CUDA_SUCCESS)
    sgp_graph_ran(call->exec, call->stream, &call->footprint);
}

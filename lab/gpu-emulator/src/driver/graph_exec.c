/*
 * graph_exec.c - executable graphs. A launch puts the kernels of all nodes on the device, each
 * after the kernels on which it depends. Copies, fills and host functions wait before the launch
 * returns, as elsewhere.
 */
#include "capture.h"
#include "graph.h"

#include <stdlib.h>
#include <string.h>

struct CUgraphExec_st {
  CUgraph graph;
  unsigned long long flags;
  uint64_t peak[MAX_DEVICES]; /* by physical index: the most memory that it takes at one time */
};

static void measure(CUgraph graph, uint64_t used[MAX_DEVICES], uint64_t peak[MAX_DEVICES]) {
  for (CUgraphNode node = graph->first; node; node = node->next) {
    if (node->type == CU_GRAPH_NODE_TYPE_GRAPH)
      measure(node->child, used, peak);
    if (node->type != CU_GRAPH_NODE_TYPE_MEM_ALLOC && node->type != CU_GRAPH_NODE_TYPE_MEM_FREE)
      continue;
    unsigned device = node->memory->device;
    uint64_t bytes = node->memory->charged;
    if (node->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC)
      used[device] += bytes;
    else
      used[device] -= used[device] < bytes ? used[device] : bytes;
    if (peak[device] < used[device])
      peak[device] = used[device];
  }
}

CUresult cuGraphInstantiateWithFlags(CUgraphExec *exec, CUgraph graph, unsigned long long flags) {
  NEED_DRIVER();
  NEED(exec && graph);
  CUgraphExec made = calloc(1, sizeof *made);
  driver_lock();
  if (made && !(made->graph = graph_copy(graph))) {
    free(made);
    made = NULL;
  }
  if (made) {
    uint64_t used[MAX_DEVICES] = {0};
    measure(made->graph, used, made->peak);
    made->flags = flags;
  }
  driver_unlock();
  *exec = made;
  return made ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuGraphInstantiate(CUgraphExec *exec, CUgraph graph, CUgraphNode *error_node, char *log,
                            size_t log_bytes) {
  if (log && log_bytes)
    *log = '\0';
  return cuGraphInstantiateWithFlags(exec, graph, 0);
}

CUresult cuGraphInstantiate_v2(CUgraphExec *exec, CUgraph graph, CUgraphNode *error_node, char *log,
                               size_t log_bytes) {
  return cuGraphInstantiate(exec, graph, error_node, log, log_bytes);
}

CUresult cuGraphInstantiateWithParams(CUgraphExec *exec, CUgraph graph,
                                      CUDA_GRAPH_INSTANTIATE_PARAMS *params) {
  NEED(params);
  params->result_out = CUDA_GRAPH_INSTANTIATE_SUCCESS;
  TRY(cuGraphInstantiateWithFlags(exec, graph, params->flags));
  if (!(params->flags & CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD))
    return CUDA_SUCCESS;
  CUresult result = cuGraphUpload(*exec, params->hUploadStream);
  if (result)
    cuGraphExecDestroy(*exec);
  return result;
}

CUresult cuGraphExecDestroy(CUgraphExec exec) {
  NEED_DRIVER();
  NEED(exec);
  driver_lock();
  graph_discard(exec->graph);
  driver_unlock();
  free(exec);
  return CUDA_SUCCESS;
}

/* A set in the list loses its tasks when they finish, also while the launch waits. */
static void for_each(CUgraph graph, void (*what)(struct work_set *set)) {
  for (CUgraphNode node = graph->first; node; node = node->next) {
    what(&node->done);
    if (node->type == CU_GRAPH_NODE_TYPE_GRAPH)
      for_each(node->child, what);
  }
}

static void enter(struct work_set *set) {
  *set = (struct work_set){0};
  work_set_add(set);
}

static uint64_t run(CUgraph graph, CUstream stream, uint64_t after);

static void run_node(CUgraphNode node, CUstream stream, uint64_t after) {
  CUcontext in = stream->context;
  node->done.tasks = after;
  switch (node->type) {
  case CU_GRAPH_NODE_TYPE_KERNEL:
    node->done.tasks = work_launch(in->device, in->id, node->kernel_ns, after);
    break;
  case CU_GRAPH_NODE_TYPE_GRAPH:
    node->done.tasks = run(node->child, stream, after);
    break;
  case CU_GRAPH_NODE_TYPE_MEMCPY:
    work_wait(after);
    memmove(node->copied.to, node->copied.from, node->copied.bytes);
    break;
  case CU_GRAPH_NODE_TYPE_MEMSET:
    work_wait(after);
    fill_run(&node->fill);
    break;
  case CU_GRAPH_NODE_TYPE_HOST:
    work_wait(after);
    driver_unlock();
    node->host.fn(node->host.userData);
    driver_lock();
    break;
  case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
    graph_memory_take(node->memory);
    break;
  case CU_GRAPH_NODE_TYPE_MEM_FREE:
    graph_memory_give(node->memory, after, stream);
    break;
  default:
    break;
  }
}

static uint64_t run(CUgraph graph, CUstream stream, uint64_t after) {
  struct work_set before = {.tasks = after}, all = {0};
  work_set_add(&before);
  work_set_add(&all);
  for (CUgraphNode node = graph->first; node; node = node->next) {
    uint64_t first = node->dependency_count ? 0 : before.tasks;
    for (size_t i = 0; i < node->dependency_count; i++)
      first |= node->dependencies[i]->done.tasks;
    run_node(node, stream, first);
    all.tasks |= node->done.tasks;
  }
  work_set_remove(&before);
  work_set_remove(&all);
  return all.tasks | (graph->first ? 0 : after);
}

/* Memory that the last launch allocated and that no call freed: an error, or freed now. */
static CUresult settle_leftovers(CUgraph graph, int free_them) {
  for (CUgraphNode node = graph->first; node; node = node->next) {
    if (node->type == CU_GRAPH_NODE_TYPE_GRAPH)
      TRY(settle_leftovers(node->child, free_them));
    if (node->type != CU_GRAPH_NODE_TYPE_MEM_ALLOC || node->memory->state != GRAPH_MEMORY_LIVE)
      continue;
    NEED(free_them);
    graph_memory_free(node->memory);
  }
  return CUDA_SUCCESS;
}

static CUresult back(CUgraphExec exec, CUstream stream) {
  for (unsigned device = 0; device < MAX_DEVICES; device++)
    TRY(graph_memory_back(device, exec->peak[device], stream));
  return CUDA_SUCCESS;
}

static CUresult launch(CUgraphExec exec, CUstream stream) {
  int free_them = !!(exec->flags & CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH);
  TRY(settle_leftovers(exec->graph, free_them));
  TRY(back(exec, stream));
  for_each(exec->graph, enter);
  uint64_t tasks = run(exec->graph, stream, stream_predecessors(stream));
  for_each(exec->graph, work_set_remove);
  stream->pending.tasks = tasks;
  return CUDA_SUCCESS;
}

#define IN_STREAM(handle, call)                                                                    \
  do {                                                                                             \
    NEED_CONTEXT(context);                                                                         \
    NEED(exec);                                                                                    \
    driver_lock();                                                                                 \
    work_update();                                                                                 \
    CUstream stream = stream_resolve(handle, context);                                             \
    CUresult result = stream ? (call) : CUDA_ERROR_OUT_OF_MEMORY;                                  \
    driver_unlock();                                                                               \
    return result;                                                                                 \
  } while (0)

CUresult cuGraphUpload(CUgraphExec exec, CUstream handle) {
  IN_STREAM(handle,
            stream->at.capture ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED : back(exec, stream));
}

CUresult cuGraphLaunch(CUgraphExec exec, CUstream handle) {
  IN_STREAM(handle, stream->at.capture ? capture_graph(stream, exec->graph) : launch(exec, stream));
}

/* graph_node.c - nodes by kind. */
#include "graph.h"
#include "launch.h"
#include "memory.h"

#include <string.h>

/* Adds a node of the kind, locks the driver and fills the node. */
#define ADD(kind, fill)                                                                            \
  do {                                                                                             \
    NEED_DRIVER();                                                                                 \
    NEED(node &&graph && (dependencies || !count));                                                \
    driver_lock();                                                                                 \
    CUresult added = graph_add(node, graph, kind, dependencies, count);                            \
    if (!added) {                                                                                  \
      fill;                                                                                        \
    }                                                                                              \
    driver_unlock();                                                                               \
    return added;                                                                                  \
  } while (0)

CUresult cuGraphAddEmptyNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                             size_t count) {
  ADD(CU_GRAPH_NODE_TYPE_EMPTY, );
}

CUresult cuGraphAddKernelNode_v2(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                                 size_t count, const CUDA_KERNEL_NODE_PARAMS *params) {
  NEED(params && (params->func || params->kern));
  CUkernel kernel = params->kern ? params->kern : kernel_of(params->func);
  uint64_t ns = kernel_duration_ns(kernel, params->kernelParams, params->extra);
  ADD(CU_GRAPH_NODE_TYPE_KERNEL, (*node)->kernel_ns = ns);
}

CUresult cuGraphAddMemsetNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                              size_t count, const CUDA_MEMSET_NODE_PARAMS *params,
                              CUcontext context) {
  NEED(params && params->dst);
  NEED(params->elementSize == 1 || params->elementSize == 2 || params->elementSize == 4);
  struct fill fill = {params->dst,         params->pitch, params->value,
                      params->elementSize, params->width, params->height};
  TRY(fill_check(&fill));
  ADD(CU_GRAPH_NODE_TYPE_MEMSET, (*node)->fill = fill);
}

CUresult cuGraphAddHostNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                            size_t count, const CUDA_HOST_NODE_PARAMS *params) {
  NEED(params && params->fn);
  ADD(CU_GRAPH_NODE_TYPE_HOST, (*node)->host = *params);
}

static CUresult add_child(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                          size_t count, CUgraph child) {
  ADD(CU_GRAPH_NODE_TYPE_GRAPH, (*node)->child = child);
}

/* Memory belongs to one graph, so a copy must not have it. */
CUresult cuGraphAddChildGraphNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                                  size_t count, CUgraph child) {
  NEED_DRIVER();
  NEED(child && !graph_has_memory_nodes(child));
  CUgraph copy = graph_copy(child);
  if (!copy)
    return CUDA_ERROR_OUT_OF_MEMORY;
  CUresult result = add_child(node, graph, dependencies, count, copy);
  if (result)
    graph_discard(copy);
  return result;
}

CUresult cuGraphAddMemAllocNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                                size_t count, CUDA_MEM_ALLOC_NODE_PARAMS *params) {
  NEED(params && params->bytesize && params->bytesize <= (size_t)1 << 60);
  NEED(params->poolProps.location.type == CU_MEM_LOCATION_TYPE_DEVICE);
  NEED_DEVICE(physical, params->poolProps.location.id);
  NEED_CONTEXT(context);
  driver_lock();
  struct graph_memory *memory =
      graph_memory_make(physical, params->poolProps.location.id, params->bytesize, context);
  driver_unlock();
  if (!memory)
    return CUDA_ERROR_OUT_OF_MEMORY;
  params->dptr = (CUdeviceptr)memory->address;
  ADD(CU_GRAPH_NODE_TYPE_MEM_ALLOC, (*node)->memory = memory);
}

CUresult cuGraphAddMemFreeNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                               size_t count, CUdeviceptr address) {
  driver_lock();
  struct graph_memory *memory = graph_memory_at(address);
  driver_unlock();
  NEED(memory);
  ADD(CU_GRAPH_NODE_TYPE_MEM_FREE, (*node)->memory = memory);
}

CUresult cuGraphAddNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                        size_t count, CUgraphNodeParams *params) {
  NEED_DRIVER();
  NEED(params);
  switch (params->type) {
  case CU_GRAPH_NODE_TYPE_EMPTY:
    return cuGraphAddEmptyNode(node, graph, dependencies, count);
  case CU_GRAPH_NODE_TYPE_GRAPH: /* would have to move the child into the graph */
    NEED(params->graph.graph);
    if (params->graph.ownership != CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE)
      return cuGraphAddChildGraphNode(node, graph, dependencies, count, params->graph.graph);
    return add_child(node, graph, dependencies, count, params->graph.graph);
  case CU_GRAPH_NODE_TYPE_HOST:
    return cuGraphAddHostNode(node, graph, dependencies, count, &params->host);
  case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
    return cuGraphAddMemAllocNode(node, graph, dependencies, count, &params->alloc);
  case CU_GRAPH_NODE_TYPE_MEM_FREE:
    return cuGraphAddMemFreeNode(node, graph, dependencies, count, params->free.dptr);
  default:
    return CUDA_ERROR_NOT_SUPPORTED;
  }
}

CUresult cuGraphAddNode_v2(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                           const CUgraphEdgeData *edges, size_t count, CUgraphNodeParams *params) {
  return cuGraphAddNode(node, graph, dependencies, count, params);
}

CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode node, CUgraph *child) {
  NEED_DRIVER();
  NEED(node && child && node->type == CU_GRAPH_NODE_TYPE_GRAPH);
  *child = node->child;
  return CUDA_SUCCESS;
}

CUresult cuGraphMemAllocNodeGetParams(CUgraphNode node, CUDA_MEM_ALLOC_NODE_PARAMS *params) {
  NEED_DRIVER();
  NEED(node && params && node->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC);
  *params = (CUDA_MEM_ALLOC_NODE_PARAMS){
      .poolProps = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                    .location = {CU_MEM_LOCATION_TYPE_DEVICE, node->memory->ordinal}},
      .bytesize = node->memory->bytes,
      .dptr = (CUdeviceptr)node->memory->address};
  return CUDA_SUCCESS;
}

CUresult cuGraphMemFreeNodeGetParams(CUgraphNode node, CUdeviceptr *address) {
  NEED_DRIVER();
  NEED(node && address && node->type == CU_GRAPH_NODE_TYPE_MEM_FREE);
  *address = (CUdeviceptr)node->memory->address;
  return CUDA_SUCCESS;
}

/* footprint.c - see footprint.h. */
#include "footprint.h"
#include "charge.h"
#include "../join/devices.h"
#include <stdlib.h>

struct allocation {
  CUdeviceptr address;
  CUdevice device;
  uint64_t bytes;
  bool freed; /* by a node of the graph */
};

/* Allocations and, in a separate list, the addresses of the nodes that free. */
struct walk {
  struct allocation *allocation;
  CUdeviceptr *freed;
  size_t allocations, frees;
};

static bool grow(void **array, size_t count, size_t size) {
  if (count & (count - 1))
    return true; /* capacity up to the next power of two */
  void *more = realloc(*array, (count ? count * 2 : 1) * size);
  if (more)
    *array = more;
  return more != NULL;
}

static void note_allocation(struct walk *w, CUgraphNode node) {
  sgp_cuGraphMemAllocNodeGetParams get = SGP_CALL(cuGraphMemAllocNodeGetParams);
  CUDA_MEM_ALLOC_NODE_PARAMS params;
  if (!get || get(node, &params) != CUDA_SUCCESS ||
      params.poolProps.location.type != CU_MEM_LOCATION_TYPE_DEVICE ||
      !grow((void **)&w->allocation, w->allocations, sizeof *w->allocation))
    return;
  w->allocation[w->allocations++] = (struct allocation){params.dptr, params.poolProps.location.id,
                                                        sgp_units(params.bytesize), false};
}

static void note_free(struct walk *w, CUgraphNode node) {
  sgp_cuGraphMemFreeNodeGetParams get = SGP_CALL(cuGraphMemFreeNodeGetParams);
  CUdeviceptr address;
  if (get && get(node, &address) == CUDA_SUCCESS &&
      grow((void **)&w->freed, w->frees, sizeof *w->freed))
    w->freed[w->frees++] = address;
}

static void walk_graph(struct walk *w, CUgraph graph);

static void note(struct walk *w, CUgraphNode node) {
  sgp_cuGraphNodeGetType get_type = SGP_CALL(cuGraphNodeGetType);
  sgp_cuGraphChildGraphNodeGetGraph get_child = SGP_CALL(cuGraphChildGraphNodeGetGraph);
  CUgraphNodeType type;
  CUgraph child;
  if (!get_type || get_type(node, &type) != CUDA_SUCCESS)
    return;
  if (type == CU_GRAPH_NODE_TYPE_MEM_ALLOC)
    note_allocation(w, node);
  else if (type == CU_GRAPH_NODE_TYPE_MEM_FREE)
    note_free(w, node);
  else if (type == CU_GRAPH_NODE_TYPE_GRAPH && get_child && get_child(node, &child) == CUDA_SUCCESS)
    walk_graph(w, child);
}

static void walk_graph(struct walk *w, CUgraph graph) {
  sgp_cuGraphGetNodes get_nodes = SGP_CALL(cuGraphGetNodes);
  size_t count = 0;
  if (!get_nodes || get_nodes(graph, NULL, &count) != CUDA_SUCCESS || count == 0)
    return;
  CUgraphNode *nodes = calloc(count, sizeof *nodes);
  if (nodes && get_nodes(graph, nodes, &count) == CUDA_SUCCESS)
    for (size_t i = 0; i < count; i++)
      note(w, nodes[i]);
  free(nodes);
}

static int by_address(const void *a, const void *b) {
  const struct allocation *left = a, *right = b;
  return (left->address > right->address) - (left->address < right->address);
}

static void match(struct walk *w) {
  if (!w->allocations)
    return;
  qsort(w->allocation, w->allocations, sizeof *w->allocation, by_address);
  for (size_t i = 0; i < w->frees; i++) {
    struct allocation key = {.address = w->freed[i]};
    struct allocation *found =
        bsearch(&key, w->allocation, w->allocations, sizeof *w->allocation, by_address);
    if (found)
      found->freed = true;
  }
}

struct sgp_footprint sgp_footprint_of(CUgraph graph) {
  struct sgp_footprint footprint = {0};
  struct walk w = {0};
  uint64_t largest[SGP_FOOTPRINT_DEVICES] = {0};
  walk_graph(&w, graph);
  match(&w);
  footprint.allocates = w.allocations != 0;
  for (size_t i = 0; i < w.allocations; i++) {
    const struct allocation *a = &w.allocation[i];
    int ordinal = sgp_device_ordinal(a->device);
    if (ordinal < 0 || ordinal >= SGP_FOOTPRINT_DEVICES)
      continue;
    footprint.any = true;
    footprint.on[ordinal].device = a->device;
    footprint.on[ordinal].most += a->bytes;
    if (!a->freed)
      footprint.on[ordinal].least += a->bytes;
    else if (largest[ordinal] < a->bytes)
      largest[ordinal] = a->bytes;
  }
  for (int i = 0; i < SGP_FOOTPRINT_DEVICES; i++)
    footprint.on[i].least += largest[i];
  free(w.allocation);
  free(w.freed);
  return footprint;
}

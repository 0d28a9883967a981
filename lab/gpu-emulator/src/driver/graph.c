/* graph.c - the structure of graphs: nodes, dependencies, copies. */
#include "graph.h"

#include <stdlib.h>

CUgraph graph_make(void) {
  return calloc(1, sizeof(struct CUgraph_st));
}

void graph_discard(CUgraph graph) {
  while (graph->first) {
    CUgraphNode node = graph->first;
    graph->first = node->next;
    if (node->type == CU_GRAPH_NODE_TYPE_GRAPH)
      graph_discard(node->child);
    free(node->dependencies);
    free(node);
  }
  free(graph);
}

CUresult graph_depend(CUgraphNode node, CUgraphNode dependency) {
  for (CUgraphNode before = node->graph->first; before != dependency; before = before->next)
    if (!before || before == node)
      return CUDA_ERROR_INVALID_VALUE;
  if (dependency == node)
    return CUDA_ERROR_INVALID_VALUE;
  CUgraphNode *more =
      realloc(node->dependencies, (node->dependency_count + 1) * sizeof *node->dependencies);
  if (!more)
    return CUDA_ERROR_OUT_OF_MEMORY;
  node->dependencies = more;
  more[node->dependency_count++] = dependency;
  return CUDA_SUCCESS;
}

static void remove_last(CUgraph graph) {
  CUgraphNode gone = graph->last, before = NULL;
  for (CUgraphNode node = graph->first; node != gone; node = node->next)
    before = node;
  *(before ? &before->next : &graph->first) = NULL;
  graph->last = before;
  graph->count--;
  free(gone->dependencies);
  free(gone);
}

CUresult graph_add(CUgraphNode *node, CUgraph graph, CUgraphNodeType type,
                   const CUgraphNode *dependencies, size_t count) {
  CUgraphNode made = calloc(1, sizeof *made);
  if (!made)
    return CUDA_ERROR_OUT_OF_MEMORY;
  made->type = type;
  made->graph = graph;
  *(graph->last ? &graph->last->next : &graph->first) = made;
  graph->last = made;
  graph->count++;
  for (size_t i = 0; i < count; i++) {
    CUresult result = graph_depend(made, dependencies[i]);
    if (!result)
      continue;
    remove_last(graph);
    return result;
  }
  *node = made;
  return CUDA_SUCCESS;
}

static int copy_node(CUgraph into, CUgraphNode node) {
  CUgraphNode made;
  if (graph_add(&made, into, node->type, NULL, 0))
    return -1;
  node->copy = made;
  struct CUgraphNode_st links = *made;
  *made = *node;
  made->graph = links.graph;
  made->next = NULL;
  made->dependencies = NULL;
  made->dependency_count = 0;
  for (size_t i = 0; i < node->dependency_count; i++)
    if (graph_depend(made, node->dependencies[i]->copy))
      return -1;
  if (node->type == CU_GRAPH_NODE_TYPE_GRAPH && !(made->child = graph_copy(node->child))) {
    made->type = CU_GRAPH_NODE_TYPE_EMPTY;
    return -1;
  }
  return 0;
}

CUgraph graph_copy(CUgraph graph) {
  CUgraph made = graph_make();
  if (!made)
    return NULL;
  for (CUgraphNode node = graph->first; node; node = node->next)
    if (copy_node(made, node)) {
      graph_discard(made);
      return NULL;
    }
  return made;
}

int graph_has_memory_nodes(CUgraph graph) {
  for (CUgraphNode node = graph->first; node; node = node->next)
    if (node->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC || node->type == CU_GRAPH_NODE_TYPE_MEM_FREE ||
        (node->type == CU_GRAPH_NODE_TYPE_GRAPH && graph_has_memory_nodes(node->child)))
      return 1;
  return 0;
}

CUresult cuGraphCreate(CUgraph *graph, unsigned flags) {
  NEED_DRIVER();
  NEED(graph && !flags);
  *graph = graph_make();
  return *graph ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuGraphDestroy(CUgraph graph) {
  NEED_DRIVER();
  NEED(graph);
  driver_lock();
  graph_discard(graph);
  driver_unlock();
  return CUDA_SUCCESS;
}

CUresult cuGraphClone(CUgraph *clone, CUgraph original) {
  NEED_DRIVER();
  NEED(clone && original);
  driver_lock();
  int refused = graph_has_memory_nodes(original);
  *clone = refused ? NULL : graph_copy(original);
  driver_unlock();
  return *clone ? CUDA_SUCCESS : refused ? CUDA_ERROR_NOT_SUPPORTED : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuGraphAddDependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                                size_t count) {
  NEED_DRIVER();
  NEED(graph && (!count || (from && to)));
  CUresult result = CUDA_SUCCESS;
  driver_lock();
  for (size_t i = 0; i < count && !result; i++)
    result = to[i]->graph == graph ? graph_depend(to[i], from[i]) : CUDA_ERROR_INVALID_VALUE;
  driver_unlock();
  return result;
}

CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode *nodes, size_t *count) {
  NEED_DRIVER();
  NEED(graph && count);
  driver_lock();
  size_t place = 0;
  for (CUgraphNode node = graph->first; nodes && node && place < *count; node = node->next)
    nodes[place++] = node;
  if (nodes)
    while (place < *count)
      nodes[place++] = NULL;
  *count = graph->count;
  driver_unlock();
  return CUDA_SUCCESS;
}

CUresult cuGraphNodeGetType(CUgraphNode node, CUgraphNodeType *type) {
  NEED_DRIVER();
  NEED(node && type);
  *type = node->type;
  return CUDA_SUCCESS;
}

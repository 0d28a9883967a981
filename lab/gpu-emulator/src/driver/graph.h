/*
 * graph.h - graphs. A graph keeps its nodes in the order in which they were added. They can run in
 * that order, because a dependency on a later node is refused. Call all functions with the driver
 * locked.
 */
#ifndef EMULATED_GPU_GRAPH_H
#define EMULATED_GPU_GRAPH_H

#include "context.h"
#include "fill.h"
#include "graph_memory.h"

struct CUgraphNode_st {
  CUgraphNodeType type;
  CUgraph graph;
  CUgraphNode next;
  CUgraphNode *dependencies;
  size_t dependency_count;
  CUgraphNode copy;     /* used while its graph is copied */
  struct work_set done; /* used during a launch: the kernels that must finish first */
  union {
    uint64_t kernel_ns;
    struct {
      char *to;
      const char *from;
      size_t bytes;
    } copied;
    struct fill fill;
    CUDA_HOST_NODE_PARAMS host;
    CUgraph child;
    struct graph_memory *memory; /* of a node that allocates or frees */
  };
};

struct CUgraph_st {
  CUgraphNode first, last;
  size_t count;
};

CUgraph graph_make(void);
/* A copy that shares the memory; NULL if there is no host memory. */
CUgraph graph_copy(CUgraph graph);
void graph_discard(CUgraph graph);
int graph_has_memory_nodes(CUgraph graph);

/* Adds a node that is empty otherwise. */
CUresult graph_add(CUgraphNode *node, CUgraph graph, CUgraphNodeType type,
                   const CUgraphNode *dependencies, size_t count);
CUresult graph_depend(CUgraphNode node, CUgraphNode dependency);

#endif

/* capture.c - see capture.h. */
#include "capture.h"
#include "graph.h"
#include "memory.h"
#include "pool.h"

#include <stdlib.h>
#include <string.h>

/* Lives as long as the process, because events may refer to it after its end. */
struct capture {
  CUgraph graph;
  int into_given; /* the graph was there before, and stays if the capture fails */
  CUstream origin;
  unsigned long long id;
  int invalid;
};

static unsigned long long last_id;

static int place_at(struct capture_place *place, const CUgraphNode *nodes, size_t count) {
  CUgraphNode *copy = malloc((count ? count : 1) * sizeof *copy);
  if (!copy)
    return -1;
  if (count)
    memcpy(copy, nodes, count * sizeof *copy);
  free(place->nodes);
  place->nodes = copy;
  place->count = count;
  return 0;
}

/* Adds a node after everything that the stream has captured. */
static CUresult add(CUstream stream, CUgraphNodeType type, CUgraphNode *node) {
  struct capture *capture = stream->at.capture;
  if (capture->invalid)
    return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  TRY(graph_add(node, capture->graph, type, stream->at.nodes, stream->at.count));
  return place_at(&stream->at, node, 1) ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
}

CUresult capture_kernel(CUstream stream, uint64_t ns) {
  CUgraphNode node;
  TRY(add(stream, CU_GRAPH_NODE_TYPE_KERNEL, &node));
  node->kernel_ns = ns;
  return CUDA_SUCCESS;
}

CUresult capture_copy(CUstream stream, CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  CUgraphNode node;
  NEED(to && from);
  TRY(add(stream, CU_GRAPH_NODE_TYPE_MEMCPY, &node));
  node->copied.to = (char *)to;
  node->copied.from = (const char *)from;
  node->copied.bytes = bytes;
  return CUDA_SUCCESS;
}

CUresult capture_fill(CUstream stream, const struct fill *fill) {
  CUgraphNode node;
  TRY(fill_check(fill));
  TRY(add(stream, CU_GRAPH_NODE_TYPE_MEMSET, &node));
  node->fill = *fill;
  return CUDA_SUCCESS;
}

CUresult capture_host(CUstream stream, CUhostFn function, void *user_data) {
  CUgraphNode node;
  TRY(add(stream, CU_GRAPH_NODE_TYPE_HOST, &node));
  node->host = (CUDA_HOST_NODE_PARAMS){function, user_data};
  return CUDA_SUCCESS;
}

static CUdevice ordinal_of(unsigned physical) {
  for (unsigned i = 0; i < driver.devices.count; i++)
    if (driver.devices.device[i] == physical)
      return (CUdevice)i;
  return -1;
}

/* The memory belongs to the graph, on the pool's device. */
CUresult capture_allocation(CUstream stream, CUdeviceptr *address, size_t bytes,
                            CUmemoryPool pool) {
  CUgraphNode node;
  struct graph_memory *memory =
      graph_memory_make(pool->device, ordinal_of(pool->device), bytes, stream->context);
  if (!memory)
    return CUDA_ERROR_OUT_OF_MEMORY;
  TRY(add(stream, CU_GRAPH_NODE_TYPE_MEM_ALLOC, &node));
  node->memory = memory;
  *address = (CUdeviceptr)memory->address;
  return CUDA_SUCCESS;
}

CUresult capture_free(CUstream stream, CUdeviceptr address) {
  CUgraphNode node;
  struct graph_memory *memory = graph_memory_at(address);
  NEED(memory);
  TRY(add(stream, CU_GRAPH_NODE_TYPE_MEM_FREE, &node));
  node->memory = memory;
  return CUDA_SUCCESS;
}

CUresult capture_graph(CUstream stream, CUgraph graph) {
  CUgraphNode node;
  if (graph_has_memory_nodes(graph))
    return capture_unsupported(stream);
  CUgraph copy = graph_copy(graph);
  if (!copy)
    return CUDA_ERROR_OUT_OF_MEMORY;
  CUresult result = add(stream, CU_GRAPH_NODE_TYPE_GRAPH, &node);
  if (result)
    graph_discard(copy);
  else
    node->child = copy;
  return result;
}

CUresult capture_record(CUstream stream, struct capture_place *event) {
  event->capture = stream->at.capture;
  return place_at(event, stream->at.nodes, stream->at.count) ? CUDA_ERROR_OUT_OF_MEMORY
                                                             : CUDA_SUCCESS;
}

/* A stream joins a capture when it waits for an event of the capture. */
CUresult capture_wait(CUstream stream, const struct capture_place *event) {
  if (!event->capture->graph)
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED; /* the capture has ended */
  size_t had = stream->at.capture ? stream->at.count : 0, count = had + event->count;
  CUgraphNode *nodes = calloc(count ? count : 1, sizeof *nodes);
  if (!nodes)
    return CUDA_ERROR_OUT_OF_MEMORY;
  if (had)
    memcpy(nodes, stream->at.nodes, had * sizeof *nodes);
  if (event->count)
    memcpy(nodes + had, event->nodes, event->count * sizeof *nodes);
  free(stream->at.nodes);
  stream->at = (struct capture_place){event->capture, nodes, count};
  return CUDA_SUCCESS;
}

CUresult capture_unsupported(CUstream stream) {
  stream->at.capture->invalid = 1;
  return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
}

/* Nodes come into a new graph, or into the given one, the first ones after some of its nodes. */
static CUresult begin(CUstream stream, CUgraph given, const CUgraphNode *after, size_t count) {
  if (stream->at.capture)
    return CUDA_ERROR_INVALID_VALUE;
  for (size_t i = 0; i < count; i++)
    NEED(after[i] && after[i]->graph == given);
  if (place_at(&stream->at, after, count))
    return CUDA_ERROR_OUT_OF_MEMORY;
  struct capture *capture = calloc(1, sizeof *capture);
  if (!capture || !(capture->graph = given ? given : graph_make())) {
    free(capture);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  capture->into_given = given != NULL;
  capture->origin = stream;
  capture->id = ++last_id;
  stream->at.capture = capture;
  return CUDA_SUCCESS;
}

static CUresult begin_in(CUstream handle, CUgraph given, const CUgraphNode *after, size_t count,
                         CUstreamCaptureMode mode) {
  NEED_CONTEXT(context);
  NEED(mode <= CU_STREAM_CAPTURE_MODE_RELAXED);
  if (!handle || handle == CU_STREAM_LEGACY)
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  driver_lock();
  CUstream stream = stream_resolve(handle, context);
  CUresult result = stream ? begin(stream, given, after, count) : CUDA_ERROR_OUT_OF_MEMORY;
  driver_unlock();
  return result;
}

CUresult cuStreamBeginCapture_v2(CUstream stream, CUstreamCaptureMode mode) {
  return begin_in(stream, NULL, NULL, 0, mode);
}

CUresult cuStreamBeginCapture(CUstream stream) {
  return cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
}

/* All edges are alike here. */
CUresult cuStreamBeginCaptureToGraph(CUstream stream, CUgraph graph, const CUgraphNode *after,
                                     const CUgraphEdgeData *edges, size_t count,
                                     CUstreamCaptureMode mode) {
  NEED(graph && (after || !count));
  return begin_in(stream, graph, after, count, mode);
}

static CUresult end(CUstream stream, CUgraph *graph) {
  struct capture *capture = stream->at.capture;
  if (!capture || capture->origin != stream)
    return CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;
  for (CUstream s = stream->context->legacy.next; s; s = s->next)
    if (s->at.capture == capture)
      s->at.capture = NULL;
  *graph = capture->invalid ? NULL : capture->graph;
  if (capture->invalid && !capture->into_given)
    graph_discard(capture->graph);
  capture->graph = NULL;
  return capture->invalid ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED : CUDA_SUCCESS;
}

CUresult cuStreamEndCapture(CUstream handle, CUgraph *graph) {
  NEED_CONTEXT(context);
  NEED(graph);
  driver_lock();
  CUstream stream = stream_resolve(handle, context);
  CUresult result = stream ? end(stream, graph) : CUDA_ERROR_OUT_OF_MEMORY;
  driver_unlock();
  return result;
}

CUresult cuStreamGetCaptureInfo_v2(CUstream handle, CUstreamCaptureStatus *status, cuuint64_t *id,
                                   CUgraph *graph, const CUgraphNode **nodes, size_t *count) {
  NEED_CONTEXT(context);
  NEED(status);
  driver_lock();
  CUstream stream = stream_resolve(handle, context);
  struct capture *capture = stream ? stream->at.capture : NULL;
  *status = !capture           ? CU_STREAM_CAPTURE_STATUS_NONE
            : capture->invalid ? CU_STREAM_CAPTURE_STATUS_INVALIDATED
                               : CU_STREAM_CAPTURE_STATUS_ACTIVE;
  if (capture && id)
    *id = capture->id;
  if (capture && graph)
    *graph = capture->graph;
  if (capture && nodes)
    *nodes = stream->at.nodes;
  if (capture && count)
    *count = stream->at.count;
  driver_unlock();
  return CUDA_SUCCESS;
}

CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus *status) {
  return cuStreamGetCaptureInfo_v2(stream, status, NULL, NULL, NULL, NULL);
}

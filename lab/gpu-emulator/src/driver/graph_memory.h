/*
 * graph_memory.h - memory that graphs allocate. Its address is fixed when the node is created. It
 * has device memory from the run of the node that allocates it to the run of the node that frees
 * it. The device keeps memory for graphs until it is trimmed. Call all functions with the driver
 * locked.
 */
#ifndef EMULATED_GPU_GRAPH_MEMORY_H
#define EMULATED_GPU_GRAPH_MEMORY_H

#include "context.h"

enum graph_memory_state { GRAPH_MEMORY_IDLE, GRAPH_MEMORY_LIVE, GRAPH_MEMORY_FREEING };

struct graph_memory {
  unsigned device; /* physical index */
  CUdevice ordinal;
  char *address;
  size_t bytes, charged;
  enum graph_memory_state state;
  CUstream stream;         /* the stream in which it is freed */
  struct work_set freeing; /* the tasks that must finish before it is free */
  struct graph_memory *next;
};

/* Lives as long as the process, because its address may be used after its graph. */
struct graph_memory *graph_memory_make(unsigned device, CUdevice ordinal, size_t bytes,
                                       CUcontext context);
struct graph_memory *graph_memory_at(CUdeviceptr address);

/* Called before a launch in a stream: makes sure that the device holds `peak` bytes more than are
 * in use. Memory that the stream frees earlier is reused. */
CUresult graph_memory_back(unsigned device, uint64_t peak_bytes, CUstream stream);

void graph_memory_take(struct graph_memory *memory);
/* Frees it when the tasks have finished. */
void graph_memory_give(struct graph_memory *memory, uint64_t after, CUstream stream);
/* Frees it now; CUDA_ERROR_INVALID_VALUE if it is not allocated. */
CUresult graph_memory_free(struct graph_memory *memory);

#endif

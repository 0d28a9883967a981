/* graph_memory.c - see graph_memory.h. */
#include "graph_memory.h"
#include "memory.h"

#include <stdlib.h>

enum { PAGE_BYTES = 2 << 20 };

static struct { uint64_t reserved, reserved_high, used, used_high; } account[MAX_DEVICES];
static struct graph_memory *all;

struct graph_memory *graph_memory_make(unsigned device, CUdevice ordinal, size_t bytes,
                                       CUcontext context) {
  struct graph_memory *made = calloc(1, sizeof *made);
  struct block *block = made ? block_map(bytes, 0, BLOCK_DEVICE, context) : NULL;
  if (!block) {
    free(made);
    return NULL;
  }
  *made = (struct graph_memory){.device = device,
                                .ordinal = ordinal,
                                .address = block->address,
                                .bytes = bytes,
                                .charged = memory_granules(bytes),
                                .next = all};
  block->graph_memory = made;
  return all = made;
}

struct graph_memory *graph_memory_at(CUdeviceptr address) {
  struct block *block = block_find((void *)address);
  return block && block->address == (char *)address ? block->graph_memory : NULL;
}

static void idle(struct graph_memory *memory) {
  if (memory->state == GRAPH_MEMORY_FREEING)
    work_set_remove(&memory->freeing);
  memory->state = GRAPH_MEMORY_IDLE;
  account[memory->device].used -= memory->charged;
}

/* Frees what is free by now and, for a stream, what will be free when its next work runs. */
static void collect(CUstream stream) {
  work_update();
  for (struct graph_memory *m = all; m; m = m->next)
    if (m->state == GRAPH_MEMORY_FREEING && (!m->freeing.tasks || m->stream == stream))
      idle(m);
}

static uint64_t pages(uint64_t bytes) {
  return (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
}

CUresult graph_memory_back(unsigned device, uint64_t peak_bytes, CUstream stream) {
  collect(stream);
  uint64_t needed = pages(account[device].used + peak_bytes);
  if (!peak_bytes || needed <= account[device].reserved)
    return CUDA_SUCCESS;
  TRY(memory_charge(device, needed - account[device].reserved));
  account[device].reserved = needed;
  if (account[device].reserved_high < needed)
    account[device].reserved_high = needed;
  return CUDA_SUCCESS;
}

void graph_memory_take(struct graph_memory *memory) {
  if (memory->state == GRAPH_MEMORY_FREEING)
    idle(memory);
  memory->state = GRAPH_MEMORY_LIVE;
  account[memory->device].used += memory->charged;
  if (account[memory->device].used_high < account[memory->device].used)
    account[memory->device].used_high = account[memory->device].used;
}

void graph_memory_give(struct graph_memory *memory, uint64_t after, CUstream stream) {
  if (memory->state != GRAPH_MEMORY_LIVE)
    return;
  memory->state = GRAPH_MEMORY_FREEING;
  memory->stream = stream;
  memory->freeing = (struct work_set){.tasks = after};
  work_set_add(&memory->freeing);
}

CUresult graph_memory_free(struct graph_memory *memory) {
  NEED(memory->state == GRAPH_MEMORY_LIVE);
  idle(memory);
  return CUDA_SUCCESS;
}

CUresult cuDeviceGraphMemTrim(CUdevice device) {
  NEED_DEVICE(physical, device);
  driver_lock();
  collect(NULL);
  uint64_t keep = pages(account[physical].used);
  if (keep < account[physical].reserved) {
    memory_uncharge(physical, account[physical].reserved - keep);
    account[physical].reserved = keep;
  }
  driver_unlock();
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attribute,
                                      void *value) {
  NEED_DEVICE(physical, device);
  NEED(value && attribute >= 0 && attribute <= CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH);
  driver_lock();
  collect(NULL);
  const uint64_t readings[] = {account[physical].used, account[physical].used_high,
                               account[physical].reserved, account[physical].reserved_high};
  *(cuuint64_t *)value = readings[attribute];
  driver_unlock();
  return CUDA_SUCCESS;
}

/* Only the high marks can be written, and only with 0. */
CUresult cuDeviceSetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attribute,
                                      void *value) {
  NEED_DEVICE(physical, device);
  NEED(value && *(cuuint64_t *)value == 0);
  NEED(attribute == CU_GRAPH_MEM_ATTR_USED_MEM_HIGH ||
       attribute == CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH);
  driver_lock();
  if (attribute == CU_GRAPH_MEM_ATTR_USED_MEM_HIGH)
    account[physical].used_high = account[physical].used;
  else
    account[physical].reserved_high = account[physical].reserved;
  driver_unlock();
  return CUDA_SUCCESS;
}

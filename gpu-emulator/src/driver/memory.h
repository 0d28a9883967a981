/* Blocks of memory, on the device or pinned on the host. */
#ifndef EMULATED_GPU_MEMORY_H
#define EMULATED_GPU_MEMORY_H

#include "context.h"

enum block_kind { BLOCK_DEVICE, BLOCK_MANAGED, BLOCK_HOST, BLOCK_REGISTERED };

/* Device memory is host memory that exists once it is written to. */
struct block {
  char *address;
  size_t bytes;   /* as asked for */
  size_t charged; /* as taken from the device, 0 for host memory */
  enum block_kind kind;
  CUcontext context;
  CUmemoryPool pool;                 /* null when it is charged to the device itself */
  struct graph_memory *graph_memory; /* not null: an address of a graph, for good */
  unsigned flags;
  unsigned long long id;
};

enum { CHARGE_GRANULE = 512 };

/* Driver locked, all of these. */

/* Charges device memory to this process: CUDA_ERROR_OUT_OF_MEMORY when there is not so much. */
CUresult memory_charge(unsigned device, uint64_t bytes);
void memory_uncharge(unsigned device, uint64_t bytes);

/* Charged size of a block. */
size_t memory_granules(size_t bytes);

/* A new block; the charge, if any, must have been made. Null for lack of host memory. */
struct block *block_map(size_t bytes, size_t charged, enum block_kind kind, CUcontext context);
/* The same at an address of 32 bits. */
struct block *block_map_low(size_t bytes, size_t charged, enum block_kind kind, CUcontext context);

/* Enters host memory that is not ours; -1 when some of it is entered already. */
int block_enter(const struct block *block);

/* The block that holds the address, or null. */
struct block *block_find(const void *address);

/* Takes a block out and gives back what it is made of. */
void block_release(struct block *block);

void memory_free_all(CUcontext context);

/* With the driver unlocked: charges, maps with one of the two functions above, and gives out the
 * address. */
typedef struct block *block_mapper(size_t bytes, size_t charged, enum block_kind kind,
                                   CUcontext context);
CUresult memory_allocate(CUdeviceptr *address, size_t bytes, enum block_kind kind,
                         CUcontext context, block_mapper *map);

/* Bytes from one row to the next of a pitched allocation; 0 when that overflows. */
size_t memory_pitch(size_t width_bytes);

#endif

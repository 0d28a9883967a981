/* memory.h - blocks of memory, on the device or pinned on the host. */
#ifndef EMULATED_GPU_MEMORY_H
#define EMULATED_GPU_MEMORY_H

#include "context.h"

enum block_kind { BLOCK_DEVICE, BLOCK_MANAGED, BLOCK_HOST, BLOCK_REGISTERED };

/* Device memory is host memory, which the kernel allocates at the first write. */
struct block {
  char *address;
  size_t bytes;   /* bytes as requested */
  size_t charged; /* bytes charged to the device, 0 for host memory */
  enum block_kind kind;
  CUcontext context;
  CUmemoryPool pool;                 /* NULL: charged to the device itself */
  struct graph_memory *graph_memory; /* not NULL: a permanent address of a graph */
  unsigned flags;
  unsigned long long id;
};

enum { CHARGE_GRANULE = 512 };

/* Call all of these with the driver locked. */

/* Charges device memory to this process. CUDA_ERROR_OUT_OF_MEMORY if the device has too little. */
CUresult memory_charge(unsigned device, uint64_t bytes);
void memory_uncharge(unsigned device, uint64_t bytes);

/* The size that is charged for a block. */
size_t memory_granules(size_t bytes);

/* Creates a block, after its memory was charged. NULL if there is no host memory. */
struct block *block_map(size_t bytes, size_t charged, enum block_kind kind, CUcontext context);
/* The same at an address of 32 bits. */
struct block *block_map_low(size_t bytes, size_t charged, enum block_kind kind, CUcontext context);

/* Adds host memory of the program; -1 if a part of it was added before. */
int block_enter(const struct block *block);

/* The block that contains the address, or NULL. */
struct block *block_find(const void *address);

/* Removes a block, and frees its memory and its charge. */
void block_release(struct block *block);

void memory_free_all(CUcontext context);

/* Call with the driver unlocked: charges, maps by one of the two functions above, and returns the
 * address. */
typedef struct block *block_mapper(size_t bytes, size_t charged, enum block_kind kind,
                                   CUcontext context);
CUresult memory_allocate(CUdeviceptr *address, size_t bytes, enum block_kind kind,
                         CUcontext context, block_mapper *map);

/* Bytes from one row to the next of a pitched allocation; 0 if that overflows. */
size_t memory_pitch(size_t width_bytes);

#endif

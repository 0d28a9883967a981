/*
 * Virtual memory management: memory without an address, and addresses without memory.
 *
 * Memory stays charged until its handle is released and its last mapping is gone, as on a real
 * device. It is a memory file, so that it can be mapped in several places.
 */
#include "memory.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { GRANULARITY = 2 << 20 };

struct physical {
  unsigned device;
  unsigned references; /* handles and mappings */
  size_t bytes;
  int fd;
};

struct mapping {
  char *address;
  size_t bytes;
  struct physical *memory;
  struct mapping *next;
};
static struct mapping *mappings;

static struct physical *of_handle(CUmemGenericAllocationHandle handle) {
  return (struct physical *)(uintptr_t)handle;
}

static int is_multiple(size_t bytes) {
  return bytes && bytes % GRANULARITY == 0;
}

static void drop(struct physical *memory) {
  if (--memory->references)
    return;
  close(memory->fd);
  memory_uncharge(memory->device, memory->bytes);
  free(memory);
}

/* Charged already. Null for lack of host memory. */
static struct physical *make(unsigned device, size_t bytes) {
  struct physical *memory = calloc(1, sizeof *memory);
  if (!memory)
    return NULL;
  *memory = (struct physical){.device = device, .references = 1, .bytes = bytes};
  memory->fd = memfd_create("emulated-gpu-memory", MFD_CLOEXEC);
  if (memory->fd >= 0 && !ftruncate(memory->fd, (off_t)bytes))
    return memory;
  if (memory->fd >= 0)
    close(memory->fd);
  free(memory);
  return NULL;
}

CUresult cuMemCreate(CUmemGenericAllocationHandle *handle, size_t bytes,
                     const CUmemAllocationProp *properties, unsigned long long flags) {
  NEED_DRIVER();
  NEED(handle && properties && is_multiple(bytes) && !flags);
  NEED(properties->location.type == CU_MEM_LOCATION_TYPE_DEVICE);
  NEED_DEVICE(physical, properties->location.id);
  driver_lock();
  state_lock(driver.state);
  CUresult result = driver_claim_slot();
  state_unlock(driver.state);
  if (!result)
    result = memory_charge(physical, bytes);
  if (!result) {
    struct physical *memory = make(physical, bytes);
    *handle = (CUmemGenericAllocationHandle)(uintptr_t)memory;
    if (!memory) {
      memory_uncharge(physical, bytes);
      result = CUDA_ERROR_OUT_OF_MEMORY;
    }
  }
  driver_unlock();
  return result;
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
  NEED_DRIVER();
  NEED(handle);
  driver_lock();
  drop(of_handle(handle));
  driver_unlock();
  return CUDA_SUCCESS;
}

CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *handle, void *address) {
  NEED_DRIVER();
  NEED(handle);
  CUresult result = CUDA_ERROR_INVALID_VALUE;
  driver_lock();
  for (struct mapping *m = mappings; m; m = m->next)
    if ((char *)address >= m->address && (char *)address < m->address + m->bytes) {
      m->memory->references++;
      *handle = (CUmemGenericAllocationHandle)(uintptr_t)m->memory;
      result = CUDA_SUCCESS;
      break;
    }
  driver_unlock();
  return result;
}

/* Maps more than is asked for and gives back what is before and after the aligned part. */
CUresult cuMemAddressReserve(CUdeviceptr *address, size_t bytes, size_t alignment,
                             CUdeviceptr wanted, unsigned long long flags) {
  NEED_DRIVER();
  NEED(address && is_multiple(bytes) && !(alignment & (alignment - 1)));
  size_t align = alignment > GRANULARITY ? alignment : GRANULARITY;
  char *at =
      mmap(NULL, bytes + align, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED)
    return CUDA_ERROR_OUT_OF_MEMORY;
  size_t before = (align - (uintptr_t)at % align) % align;
  if (before)
    munmap(at, before);
  if (align - before)
    munmap(at + before + bytes, align - before);
  *address = (CUdeviceptr)(at + before);
  return CUDA_SUCCESS;
}

CUresult cuMemAddressFree(CUdeviceptr address, size_t bytes) {
  NEED_DRIVER();
  NEED(address && is_multiple(bytes));
  munmap((void *)address, bytes);
  return CUDA_SUCCESS;
}

CUresult cuMemMap(CUdeviceptr address, size_t bytes, size_t offset,
                  CUmemGenericAllocationHandle handle, unsigned long long flags) {
  NEED_DRIVER();
  struct physical *memory = of_handle(handle);
  NEED(address && memory && is_multiple(bytes) && offset == 0 && bytes <= memory->bytes);
  struct mapping *mapping = calloc(1, sizeof *mapping);
  if (!mapping)
    return CUDA_ERROR_OUT_OF_MEMORY;
  driver_lock();
  void *at = mmap((void *)address, bytes, PROT_NONE, MAP_SHARED | MAP_FIXED, memory->fd, 0);
  if (at != MAP_FAILED) {
    *mapping = (struct mapping){.address = at, .bytes = bytes, .memory = memory, .next = mappings};
    mappings = mapping;
    memory->references++;
  }
  driver_unlock();
  if (at != MAP_FAILED)
    return CUDA_SUCCESS;
  free(mapping);
  return CUDA_ERROR_INVALID_VALUE;
}

/* Driver locked. The addresses stay reserved. */
static void unmap(struct mapping **at) {
  struct mapping *mapping = *at;
  *at = mapping->next;
  mmap(mapping->address, mapping->bytes, PROT_NONE,
       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  drop(mapping->memory);
  free(mapping);
}

CUresult cuMemUnmap(CUdeviceptr address, size_t bytes) {
  NEED_DRIVER();
  NEED(address && is_multiple(bytes));
  CUresult result = CUDA_ERROR_INVALID_VALUE;
  char *begin = (char *)address, *end = begin + bytes;
  driver_lock();
  for (struct mapping **at = &mappings; *at;) {
    if ((*at)->address >= begin && (*at)->address + (*at)->bytes <= end) {
      unmap(at);
      result = CUDA_SUCCESS;
    } else {
      at = &(*at)->next;
    }
  }
  driver_unlock();
  return result;
}

CUresult cuMemSetAccess(CUdeviceptr address, size_t bytes, const CUmemAccessDesc *access,
                        size_t count) {
  NEED_DRIVER();
  NEED(address && is_multiple(bytes) && access && count);
  int rights = access->flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE ? PROT_READ | PROT_WRITE
               : access->flags                                     ? PROT_READ
                                                                   : PROT_NONE;
  return mprotect((void *)address, bytes, rights) ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult cuMemGetAllocationGranularity(size_t *bytes, const CUmemAllocationProp *properties,
                                       CUmemAllocationGranularity_flags option) {
  NEED_DRIVER();
  NEED(bytes && properties);
  *bytes = GRANULARITY;
  return CUDA_SUCCESS;
}

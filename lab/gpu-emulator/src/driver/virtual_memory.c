/*
 * virtual_memory.c - virtual memory management: memory without an address, and addresses without
 * memory.
 *
 * Memory stays charged until its last handle is released and its last mapping is gone, as on a real
 * device.
 */
#include "memory.h"
#include "physical.h"
#include "../shared/log.h"

#include <search.h>
#include <stdlib.h>
#include <sys/mman.h>

struct mapping {
  char *address;
  size_t bytes;
  struct physical *memory;
};
static void *mappings; /* a tsearch tree, ordered by address */

/* Two ranges that overlap count as equal, so a range finds a mapping that it touches. */
static int compare(const void *left, const void *right) {
  const struct mapping *a = left, *b = right;
  if (a->address + a->bytes <= b->address)
    return -1;
  return b->address + b->bytes <= a->address;
}

static struct mapping *touched(char *address, size_t bytes) {
  struct mapping key = {.address = address, .bytes = bytes};
  struct mapping **found = tfind(&key, &mappings, compare);
  return found ? *found : NULL;
}

static int is_multiple(size_t bytes) {
  return bytes && bytes % GRANULARITY == 0;
}

/* Of the handles for other processes, Linux without a fabric has descriptors alone. */
static CUresult check_handle_types(unsigned types) {
  enum {
    OTHERS = CU_MEM_HANDLE_TYPE_WIN32 | CU_MEM_HANDLE_TYPE_WIN32_KMT | CU_MEM_HANDLE_TYPE_FABRIC
  };
  NEED(!(types & ~(unsigned)(OTHERS | CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)));
  return types & OTHERS ? CUDA_ERROR_NOT_SUPPORTED : CUDA_SUCCESS;
}

CUresult cuMemCreate(CUmemGenericAllocationHandle *handle, size_t bytes,
                     const CUmemAllocationProp *properties, unsigned long long flags) {
  NEED_DRIVER();
  NEED(handle && properties && is_multiple(bytes) && !flags);
  NEED(properties->location.type == CU_MEM_LOCATION_TYPE_DEVICE);
  NEED_DEVICE(physical, properties->location.id);
  TRY(check_handle_types(properties->requestedHandleTypes));
  driver_lock();
  state_lock(driver.state);
  CUresult result = driver_claim_slot();
  state_unlock(driver.state);
  struct physical *memory;
  if (!result)
    result = physical_make(&memory, physical, bytes, properties->requestedHandleTypes != 0);
  if (!result)
    *handle = physical_handle(memory);
  driver_unlock();
  log_call("cuMemCreate of %zu bytes -> %d", bytes, result);
  return result;
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
  NEED_DRIVER();
  driver_lock();
  struct physical *memory = physical_of(handle);
  if (memory)
    physical_drop_handle(memory);
  driver_unlock();
  return memory ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* Works also if all handles were released: the memory has a handle again. */
CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *handle, void *address) {
  NEED_DRIVER();
  NEED(handle);
  driver_lock();
  struct mapping *mapping = touched(address, 1);
  if (mapping) {
    mapping->memory->handles++;
    *handle = physical_handle(mapping->memory);
  }
  driver_unlock();
  return mapping ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* Maps more than requested, and unmaps what is before and after the aligned part. */
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

/* Call with the driver locked. */
static CUresult map(char *address, size_t bytes, size_t offset, struct physical *memory) {
  NEED(memory && offset <= memory->bytes && bytes <= memory->bytes - offset);
  NEED(!touched(address, bytes));
  struct mapping *mapping = malloc(sizeof *mapping);
  if (!mapping)
    return CUDA_ERROR_OUT_OF_MEMORY;
  *mapping = (struct mapping){.address = address, .bytes = bytes, .memory = memory};
  if (mmap(address, bytes, PROT_NONE, MAP_SHARED | MAP_FIXED, memory->file,
           memory->offset + (off_t)offset) == MAP_FAILED ||
      !tsearch(mapping, &mappings, compare)) {
    free(mapping);
    return CUDA_ERROR_INVALID_VALUE;
  }
  memory->mappings++;
  return CUDA_SUCCESS;
}

/* NVIDIA's driver accepts only the offset 0. */
CUresult cuMemMap(CUdeviceptr address, size_t bytes, size_t offset,
                  CUmemGenericAllocationHandle handle, unsigned long long flags) {
  NEED_DRIVER();
  NEED(address && address % GRANULARITY == 0 && is_multiple(bytes) && offset % GRANULARITY == 0);
  NEED(!flags);
  driver_lock();
  CUresult result = map((char *)address, bytes, offset, physical_of(handle));
  driver_unlock();
  log_call("cuMemMap of %zu bytes -> %d", bytes, result);
  return result;
}

/* Call with the driver locked. The addresses stay reserved. */
static void unmap(struct mapping *mapping) {
  tdelete(mapping, &mappings, compare);
  mmap(mapping->address, mapping->bytes, PROT_NONE,
       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  physical_drop_mapping(mapping->memory);
  free(mapping);
}

/* True if the range contains only a part of the mapping, which cannot be unmapped. */
static int splits(const struct mapping *mapping, const char *begin, const char *end) {
  return mapping && (mapping->address < begin || mapping->address + mapping->bytes > end);
}

CUresult cuMemUnmap(CUdeviceptr address, size_t bytes) {
  NEED_DRIVER();
  NEED(address && is_multiple(bytes));
  CUresult result = CUDA_ERROR_INVALID_VALUE;
  char *begin = (char *)address, *end = begin + bytes;
  driver_lock();
  if (!splits(touched(begin, 1), begin, end) && !splits(touched(end - 1, 1), begin, end))
    for (struct mapping *m; (m = touched(begin, bytes)); result = CUDA_SUCCESS)
      unmap(m);
  driver_unlock();
  log_call("cuMemUnmap of %zu bytes -> %d", bytes, result);
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

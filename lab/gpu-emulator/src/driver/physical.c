/*
 * physical.c - see physical.h. One memory file contains all pieces that cannot be shared, because a
 * descriptor for each would exceed the limit.
 */
#include "physical.h"
#include "memory.h"
#include "../shared/config.h"

#include <fcntl.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void *tree; /* a tsearch tree of all memory, ordered by address, which is the handle */
static int common_file = -1;
static off_t common_end;

static int compare(const void *left, const void *right) {
  uintptr_t a = (uintptr_t)left, b = (uintptr_t)right;
  return (a > b) - (a < b);
}

struct physical *physical_enter(const struct physical *memory) {
  struct physical *made = malloc(sizeof *made);
  if (!made)
    return NULL;
  *made = *memory;
  made->handles = 1;
  made->mappings = 0;
  if (tsearch(made, &tree, compare))
    return made;
  free(made);
  return NULL;
}

/* Memory at the end of the common file, which nobody has ever written to. */
static CUresult make_private(struct physical *memory, unsigned device, size_t bytes) {
  if (common_file < 0)
    common_file = memfd_create("emulated-gpu-memory", MFD_CLOEXEC);
  if (common_file < 0 || ftruncate(common_file, common_end + (off_t)bytes))
    return CUDA_ERROR_OUT_OF_MEMORY;
  TRY(memory_charge(device, bytes));
  *memory = (struct physical){.device = device,
                              .bytes = bytes,
                              .file = common_file,
                              .offset = common_end,
                              .shareable = NOT_SHAREABLE};
  common_end += (off_t)bytes;
  return CUDA_SUCCESS;
}

static void give_back(const struct physical *memory) {
  if (memory->shareable != NOT_SHAREABLE) {
    share_end(memory);
    return;
  }
  fallocate(memory->file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, memory->offset,
            (off_t)memory->bytes);
  memory_uncharge(memory->device, memory->bytes);
}

/* As if an earlier owner had written there. */
static void leave_content(const struct physical *memory, int value) {
  void *at =
      mmap(NULL, memory->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory->file, memory->offset);
  if (at == MAP_FAILED)
    return;
  memset(at, value, memory->bytes);
  munmap(at, memory->bytes);
}

CUresult physical_make(struct physical **made, unsigned device, size_t bytes, int shareable) {
  struct physical memory;
  TRY(shareable ? share_make(&memory, device, bytes) : make_private(&memory, device, bytes));
  if (config_stale_byte() != 0)
    leave_content(&memory, config_stale_byte());
  *made = physical_enter(&memory);
  if (!*made)
    give_back(&memory);
  return *made ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

struct physical *physical_of(CUmemGenericAllocationHandle handle) {
  struct physical *const *found = tfind((void *)(uintptr_t)handle, &tree, compare);
  return found && (*found)->handles ? *found : NULL;
}

CUmemGenericAllocationHandle physical_handle(const struct physical *memory) {
  return (CUmemGenericAllocationHandle)(uintptr_t)memory;
}

static void free_if_unused(struct physical *memory) {
  if (memory->handles || memory->mappings)
    return;
  tdelete(memory, &tree, compare);
  give_back(memory);
  free(memory);
}

void physical_drop_handle(struct physical *memory) {
  memory->handles--;
  free_if_unused(memory);
}

void physical_drop_mapping(struct physical *memory) {
  memory->mappings--;
  free_if_unused(memory);
}

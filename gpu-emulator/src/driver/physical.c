/*
 * physical.c - see physical.h. One memory file contains all pieces, because a descriptor for each
 * would exceed the limit.
 */
#include "physical.h"
#include "memory.h"

#include <fcntl.h>
#include <search.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static void *tree; /* a tsearch tree of all memory, ordered by address, which is the handle */
static int file = -1;
static off_t file_end;

static int compare(const void *left, const void *right) {
  uintptr_t a = (uintptr_t)left, b = (uintptr_t)right;
  return (a > b) - (a < b);
}

int physical_file(void) {
  if (file < 0)
    file = memfd_create("emulated-gpu-memory", MFD_CLOEXEC);
  return file;
}

struct physical *physical_make(unsigned device, size_t bytes) {
  off_t offset = file_end;
  struct physical *memory = calloc(1, sizeof *memory);
  if (!memory || physical_file() < 0 || ftruncate(file, offset + (off_t)bytes) ||
      !tsearch(memory, &tree, compare)) {
    free(memory);
    return NULL;
  }
  file_end += (off_t)bytes;
  *memory = (struct physical){.device = device, .handles = 1, .bytes = bytes, .offset = offset};
  return memory;
}

struct physical *physical_of(CUmemGenericAllocationHandle handle) {
  struct physical *const *found = tfind((void *)(uintptr_t)handle, &tree, compare);
  return found && (*found)->handles ? *found : NULL;
}

static void free_if_unused(struct physical *memory) {
  if (memory->handles || memory->mappings)
    return;
  tdelete(memory, &tree, compare);
  fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, memory->offset, (off_t)memory->bytes);
  memory_uncharge(memory->device, memory->bytes);
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

/* block.c - the map from addresses to blocks. */
#include "memory.h"
#include "pool.h"

#include <search.h>
#include <stdlib.h>
#include <sys/mman.h>

static void *tree; /* a tsearch tree, ordered by address */
static unsigned long long last_id;

/* Two ranges that overlap count as equal, so an address finds the block around it. */
static int compare(const void *left, const void *right) {
  const struct block *a = left, *b = right;
  if (a->address + a->bytes <= b->address)
    return -1;
  return b->address + b->bytes <= a->address;
}

static size_t mapped_bytes(size_t bytes) {
  return (bytes + 4095) & ~(size_t)4095;
}

struct block *block_find(const void *address) {
  struct block key = {.address = (char *)address, .bytes = 1};
  struct block **found = tfind(&key, &tree, compare);
  return found ? *found : NULL;
}

static struct block *insert(const struct block *block) {
  struct block *made = malloc(sizeof *made);
  if (!made)
    return NULL;
  *made = *block;
  made->id = ++last_id;
  struct block **at = tsearch(made, &tree, compare);
  if (at && *at == made)
    return made;
  free(made);
  return NULL;
}

int block_enter(const struct block *block) {
  return insert(block) ? 0 : -1;
}

static void *map(void *at, size_t bytes, int flags) {
  return mmap(at, mapped_bytes(bytes), PROT_READ | PROT_WRITE,
              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);
}

static struct block *enter_mapped(void *at, size_t bytes, size_t charged, enum block_kind kind,
                                  CUcontext context) {
  if (at == MAP_FAILED)
    return NULL;
  struct block block = {
      .address = at, .bytes = bytes, .charged = charged, .kind = kind, .context = context};
  struct block *made = insert(&block);
  if (!made)
    munmap(at, mapped_bytes(bytes));
  return made;
}

struct block *block_map(size_t bytes, size_t charged, enum block_kind kind, CUcontext context) {
  return enter_mapped(map(NULL, bytes, 0), bytes, charged, kind, context);
}

/* Kernels before 4.17, and qemu-user, ignore the flag and map at another address. */
static void *map_exactly(void *wanted, size_t bytes) {
  void *at = map(wanted, bytes, MAP_FIXED_NOREPLACE);
  if (at == MAP_FAILED || at == wanted)
    return at;
  munmap(at, mapped_bytes(bytes));
  return MAP_FAILED;
}

struct block *block_map_low(size_t bytes, size_t charged, enum block_kind kind, CUcontext context) {
  enum { FIRST = 256 << 20, STEP = 16 << 20 };
  void *at = MAP_FAILED;
  for (uint64_t low = FIRST; at == MAP_FAILED && low + bytes <= UINT32_MAX; low += STEP)
    at = map_exactly((void *)low, bytes);
  return enter_mapped(at, bytes, charged, kind, context);
}

void block_release(struct block *block) {
  tdelete(block, &tree, compare);
  if (block->kind != BLOCK_REGISTERED)
    munmap(block->address, mapped_bytes(block->bytes));
  if (block->pool)
    pool_give(block->pool, block->charged);
  else if (block->charged)
    memory_uncharge(block->context->device, block->charged);
  free(block);
}

/* For a walk, under the lock. twalk_r(), which takes such things, is newer than glibc 2.17. */
static struct search {
  CUcontext context;
  struct block *found;
} search;

static void visit_block(const void *node, VISIT visit, int depth) {
  (void)depth;
  struct block *block = *(struct block *const *)node;
  if ((visit == preorder || visit == leaf) && block->context == search.context && !block->pool &&
      !block->graph_memory)
    search.found = block;
}

/* Frees the context's blocks one at a time, because the tree must not change during a walk.
 * Contexts seldom end. Memory of pools and graphs belongs to the device and stays. */
void memory_free_all(CUcontext context) {
  for (;;) {
    search = (struct search){.context = context};
    twalk(tree, visit_block);
    if (!search.found)
      return;
    block_release(search.found);
  }
}

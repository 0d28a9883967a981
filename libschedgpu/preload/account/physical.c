/* physical.c - see physical.h. */
#include "physical.h"
#include "cells.h"
#include "latch.h"
#include "../join/schedule.h"
#include "tree.h"

struct sgp_physical {
  uint64_t bytes;
  uint64_t uses;
  int device;
};

/* A handle, by its value, or a mapping, by its address. */
struct record {
  struct sgp_node node;
  struct sgp_physical *memory;
  uint64_t count; /* references of the handle; bytes of the mapping */
};
_Static_assert(sizeof(struct record) <= SGP_CELL_BYTES, "a record fits into a cell");
_Static_assert(sizeof(struct sgp_physical) <= SGP_CELL_BYTES, "memory fits into a cell");

static sgp_latch latch;
static struct sgp_cells cells;
static struct sgp_node *handles, *mappings;

/* Call with the latch. */
static struct record *find_handle(uint64_t handle) {
  return (struct record *)sgp_tree_find(handles, handle);
}

/* Call with the latch. Without memory for its record it stays charged until the process ends. */
static void add(struct sgp_node **tree, uint64_t key, struct sgp_physical *memory, uint64_t count) {
  struct record *record = sgp_cells_take(&cells);
  if (!record)
    return;
  *record = (struct record){.node.key = key, .memory = memory, .count = count};
  sgp_tree_put(tree, &record->node);
}

static void end_uses(struct sgp_physical *memory, uint64_t uses) {
  sgp_latch_take(&latch);
  memory->uses -= uses;
  struct sgp_physical was = *memory;
  if (was.uses == 0)
    sgp_cells_give(&cells, memory);
  sgp_latch_give(&latch);
  if (was.uses == 0)
    sgp_release(was.device, was.bytes);
}

void sgp_physical_release(struct sgp_physical *memory) {
  end_uses(memory, 1);
}

void sgp_physical_made(uint64_t handle, int device, uint64_t bytes) {
  sgp_latch_take(&latch);
  struct sgp_physical *memory = sgp_cells_take(&cells);
  if (memory)
    *memory = (struct sgp_physical){.bytes = bytes, .uses = 1, .device = device};
  sgp_latch_give(&latch);
  if (memory)
    sgp_physical_put_handle(memory, handle);
}

struct sgp_physical *sgp_physical_hold(uint64_t handle) {
  sgp_latch_take(&latch);
  const struct record *record = find_handle(handle);
  struct sgp_physical *memory = record ? record->memory : NULL;
  if (memory)
    memory->uses++;
  sgp_latch_give(&latch);
  return memory;
}

struct sgp_physical *sgp_physical_hold_at(uint64_t address) {
  sgp_latch_take(&latch);
  const struct record *mapping = (struct record *)sgp_tree_at_or_before(mappings, address);
  bool inside = mapping && address - mapping->node.key < mapping->count;
  struct sgp_physical *memory = inside ? mapping->memory : NULL;
  if (memory)
    memory->uses++;
  sgp_latch_give(&latch);
  return memory;
}

/* A known handle with other memory is stale: it was released without a hook. */
void sgp_physical_put_handle(struct sgp_physical *memory, uint64_t handle) {
  struct record stale = {.memory = NULL};
  sgp_latch_take(&latch);
  struct record *record = find_handle(handle);
  if (record && record->memory == memory) {
    record->count++;
  } else if (record) {
    stale = *record;
    record->memory = memory;
    record->count = 1;
  } else {
    add(&handles, handle, memory, 1);
  }
  sgp_latch_give(&latch);
  if (stale.memory)
    end_uses(stale.memory, stale.count);
}

struct sgp_physical *sgp_physical_take_handle(uint64_t handle) {
  sgp_latch_take(&latch);
  struct record *record = find_handle(handle);
  struct sgp_physical *memory = record ? record->memory : NULL;
  if (record && --record->count == 0) {
    sgp_tree_take(&handles, handle, handle + 1);
    sgp_cells_give(&cells, record);
  }
  sgp_latch_give(&latch);
  return memory;
}

/* An earlier mapping there is stale, as above. */
void sgp_physical_put_mapping(struct sgp_physical *memory, uint64_t address, uint64_t bytes) {
  struct sgp_node *stale = sgp_physical_take_mappings(address, bytes);
  sgp_latch_take(&latch);
  add(&mappings, address, memory, bytes);
  sgp_latch_give(&latch);
  sgp_physical_settle_mappings(stale, true);
}

struct sgp_node *sgp_physical_take_mappings(uint64_t address, uint64_t bytes) {
  uint64_t end = bytes > UINT64_MAX - address ? UINT64_MAX : address + bytes;
  sgp_latch_take(&latch);
  struct sgp_node *taken = sgp_tree_take(&mappings, address, end);
  sgp_latch_give(&latch);
  return taken;
}

void sgp_physical_settle_mappings(struct sgp_node *taken, bool gone) {
  for (struct sgp_node *node; (node = sgp_tree_pop(&taken));) {
    struct sgp_physical *memory = ((struct record *)node)->memory;
    sgp_latch_take(&latch);
    if (gone)
      sgp_cells_give(&cells, node);
    else
      sgp_tree_put(&mappings, node);
    sgp_latch_give(&latch);
    if (gone)
      sgp_physical_release(memory);
  }
}

/* As in ledger.c: abandoned, not unmapped. */
void sgp_physical_after_fork(void) {
  latch = 0;
  cells = (struct sgp_cells){0};
  handles = mappings = NULL;
}

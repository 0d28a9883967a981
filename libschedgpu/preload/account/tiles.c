/* tiles.c - see tiles.h. */
#include "tiles.h"
#include "cells.h"
#include "latch.h"
#include "physical.h"
#include "tree.h"
#include <string.h>

#define REGION_WORDS 8

struct sgp_tile {
  struct sgp_tile *next;
  struct sgp_physical *memory; /* NULL: not charged, or unmapped */
  uint64_t array;
  uint32_t region[REGION_WORDS];
  uint16_t kind; /* of the region */
  bool map;
};

struct tiled_array {
  struct sgp_node node;
  struct sgp_tile *first;
  uint32_t context;
  bool whole;
};
_Static_assert(sizeof(struct sgp_tile) <= SGP_CELL_BYTES, "a tile fits into a cell");
_Static_assert(sizeof(struct tiled_array) <= SGP_CELL_BYTES, "an array fits into a cell");

static sgp_latch latch;
static struct sgp_cells cells;
static struct sgp_node *arrays;

static void *take_cell(void) {
  sgp_latch_take(&latch);
  void *cell = sgp_cells_take(&cells);
  sgp_latch_give(&latch);
  return cell;
}

static void give_cell(void *cell) {
  sgp_latch_take(&latch);
  sgp_cells_give(&cells, cell);
  sgp_latch_give(&latch);
}

static void end_tile(struct sgp_tile *tile) {
  if (tile->memory)
    sgp_physical_release(tile->memory);
  give_cell(tile);
}

static void end_array(struct tiled_array *array) {
  while (array->first) {
    struct sgp_tile *tile = array->first;
    array->first = tile->next;
    end_tile(tile);
  }
  give_cell(array);
}

/* Compares member by member: the padding of the caller's structure is undefined. */
static void set_region(struct sgp_tile *tile, const CUarrayMapInfo *info) {
  tile->kind = (uint16_t)info->subresourceType;
  if (info->subresourceType == CU_ARRAY_SPARSE_SUBRESOURCE_TYPE_MIPTAIL) {
    tile->region[0] = info->subresource.miptail.layer;
    memcpy(&tile->region[1], &info->subresource.miptail.offset, sizeof(uint64_t));
    memcpy(&tile->region[3], &info->subresource.miptail.size, sizeof(uint64_t));
  } else {
    memcpy(tile->region, &info->subresource.sparseLevel, sizeof tile->region);
  }
}

static struct sgp_tile *tile_of(const CUarrayMapInfo *info) {
  bool map = info->memOperationType == CU_MEM_OPERATION_TYPE_MAP;
  struct sgp_physical *memory = map ? sgp_physical_hold(info->memHandle.memHandle) : NULL;
  struct sgp_tile *tile = take_cell(); /* without memory for it, its charge stays */
  if (!tile)
    return NULL;
  *tile = (struct sgp_tile){
      .memory = memory, .map = map, .array = (uint64_t)(uintptr_t)info->resource.array};
  set_region(tile, info);
  return tile;
}

struct sgp_tile *sgp_tiles_prepare(const CUarrayMapInfo *list, unsigned count) {
  struct sgp_tile *first = NULL, **last = &first;
  for (unsigned i = 0; list && i < count; i++) {
    *last = tile_of(&list[i]);
    if (*last)
      last = &(*last)->next;
  }
  return first;
}

/* Call with the latch. */
static struct tiled_array *array_of(uint64_t key, uint32_t context) {
  struct tiled_array *array = (struct tiled_array *)sgp_tree_find(arrays, key);
  if (!array && (array = sgp_cells_take(&cells))) {
    *array = (struct tiled_array){.node.key = key, .context = context};
    sgp_tree_put(&arrays, &array->node);
  }
  return array;
}

/* Call with the latch. Removes what the array had in the region of `tile`. */
static struct sgp_tile *replaced_by(struct tiled_array *array, const struct sgp_tile *tile) {
  struct sgp_tile **link = &array->first;
  while (*link && !array->whole &&
         ((*link)->kind != tile->kind ||
          memcmp((*link)->region, tile->region, sizeof tile->region) != 0))
    link = &(*link)->next;
  struct sgp_tile *old = *link;
  if (old)
    *link = old->next;
  return old;
}

static void put_tile(struct sgp_tile *tile, uint32_t context) {
  sgp_latch_take(&latch);
  struct tiled_array *array = array_of(tile->array, context);
  struct sgp_tile *old = array ? replaced_by(array, tile) : NULL;
  bool kept = array && tile->map && tile->memory;
  if (kept) {
    tile->next = array->first;
    array->first = tile;
  }
  sgp_latch_give(&latch);
  if (old)
    end_tile(old);
  if (!kept && array)
    end_tile(tile);
}

void sgp_tiles_settle(struct sgp_tile *tiles, bool mapped, uint32_t context) {
  while (tiles) {
    struct sgp_tile *tile = tiles;
    tiles = tile->next;
    if (mapped)
      put_tile(tile, context);
    else
      end_tile(tile);
  }
}

/* A known array at that address is stale: it was destroyed without a hook. */
void sgp_tiles_array(uint64_t key, uint32_t context, bool whole) {
  sgp_tiles_settle_array(sgp_tiles_take_array(key), true);
  sgp_latch_take(&latch);
  struct tiled_array *array = array_of(key, context);
  if (array)
    array->whole = whole;
  sgp_latch_give(&latch);
}

struct sgp_node *sgp_tiles_take_array(uint64_t array) {
  sgp_latch_take(&latch);
  struct sgp_node *taken = array ? sgp_tree_take(&arrays, array, array + 1) : NULL;
  sgp_latch_give(&latch);
  return taken;
}

void sgp_tiles_settle_array(struct sgp_node *array, bool gone) {
  if (array && gone) {
    end_array((struct tiled_array *)array);
  } else if (array) {
    sgp_latch_take(&latch);
    sgp_tree_put(&arrays, array);
    sgp_latch_give(&latch);
  }
}

/* Checks all arrays, as contexts seldom end. */
void sgp_tiles_context_ended(uint32_t context) {
  struct sgp_node *all, *kept = NULL, *gone = NULL, *node;
  sgp_latch_take(&latch);
  all = arrays;
  while ((node = sgp_tree_pop(&all)))
    sgp_tree_put(((struct tiled_array *)node)->context == context ? &gone : &kept, node);
  arrays = kept;
  sgp_latch_give(&latch);
  while ((node = sgp_tree_pop(&gone)))
    end_array((struct tiled_array *)node);
}

void sgp_tiles_after_fork(void) {
  latch = 0;
  cells = (struct sgp_cells){0};
  arrays = NULL;
}

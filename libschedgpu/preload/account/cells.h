/*
 * cells.h - memory for small records, from mmap, so that the program's malloc is never called.
 * Freed cells are reused, and never returned to the system. The caller locks.
 */
#ifndef SGP_CELLS_H
#define SGP_CELLS_H

#include <stddef.h>
#include <sys/mman.h>

#define SGP_CELL_BYTES 64u
#define SGP_CELLS_CHUNK_BYTES 65536u

struct sgp_cells {
  void *free; /* the first free cell; each begins with a pointer to the next */
  char *next; /* the unused rest of the newest chunk */
  char *end;
};

/** A cell with undefined content, or NULL. */
static inline void *sgp_cells_take(struct sgp_cells *cells) {
  void *cell = cells->free;
  if (cell) {
    cells->free = *(void **)cell;
    return cell;
  }
  if (cells->next == cells->end) {
    char *chunk = mmap(NULL, SGP_CELLS_CHUNK_BYTES, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (chunk == MAP_FAILED)
      return NULL;
    cells->next = chunk;
    cells->end = chunk + SGP_CELLS_CHUNK_BYTES;
  }
  cell = cells->next;
  cells->next += SGP_CELL_BYTES;
  return cell;
}

static inline void sgp_cells_give(struct sgp_cells *cells, void *cell) {
  *(void **)cell = cells->free;
  cells->free = cell;
}

#endif

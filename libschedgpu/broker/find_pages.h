/* find_pages.h - the search for client pages in the memory of a process; see find_pages.c. */
#ifndef SG_FIND_PAGES_H
#define SG_FIND_PAGES_H

#include "../shell/wire/wire.h"
#include <stdbool.h>

/** A client's slot, and the page that its process maps for it. */
struct sg_wanted {
  uint32_t slot;
  uint32_t gen;
  struct sg_page *page; /**< mapped here; NULL: not found */
};

/**
 * Finds the pages of these slots in the memory of a process, and returns their number. The process
 * decides how long it takes, so never call it from the loop. `*denied` is set if this process may
 * not read the other one.
 */
uint32_t sg_find_pages(int32_t pid, int pidfd, struct sg_wanted *wanted, uint32_t count,
                       bool *denied);
void sg_forget_pages(struct sg_wanted *wanted, uint32_t count);

#endif

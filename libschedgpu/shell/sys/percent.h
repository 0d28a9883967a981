/* percent.h - the one way to take a percentage of a device's memory. */
#ifndef SG_PERCENT_H
#define SG_PERCENT_H

#include <stdint.h>

/** `percent` (0 to 100) of `total_bytes`, rounded down. */
static inline uint64_t sg_percent_of(uint64_t percent, uint64_t total_bytes) {
  return total_bytes / 100 * percent + total_bytes % 100 * percent / 100;
}

#endif

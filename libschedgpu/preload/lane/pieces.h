/*
 * pieces.h - the memory of a lane is made in pieces of fixed places and sizes: a member maps those
 * that its own ephemeral memory covers. So members of different sizes share what they have in
 * common, and a lane can shrink when its largest member leaves.
 */
#ifndef SGP_PIECES_H
#define SGP_PIECES_H

#include <stdint.h>

#define SGP_GRAIN (UINT64_C(2) << 20)
enum { SGP_PIECES = 128 };

/** Where piece `k` ends: 16 MiB, 18, 20 ... 30, 32, 36 ...; multiples of 2 MiB, eight to an octave,
 * so that at most a ninth of a lane is not used. */
static inline uint64_t sgp_piece_end(unsigned k) {
  return (uint64_t)(8 + k % 8) << (k / 8) << 21;
}
static inline uint64_t sgp_piece_begin(unsigned k) {
  return k == 0 ? 0 : sgp_piece_end(k - 1);
}
static inline uint64_t sgp_piece_bytes(unsigned k) {
  return sgp_piece_end(k) - sgp_piece_begin(k);
}

/** How many pieces `bytes` cover. */
static inline unsigned sgp_pieces_in(uint64_t bytes) {
  unsigned k = 0;
  while (k < SGP_PIECES && sgp_piece_end(k) <= bytes)
    k++;
  return k;
}

#endif

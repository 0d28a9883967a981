/* utf8.c - see utf8.h. */
#include "utf8.h"
#include <stdbool.h>

/** The length of a character by its first byte; 0: not a first byte. */
static size_t length_of(unsigned char first) {
  if (first < 0x80)
    return 1;
  if (first < 0xC2 || first > 0xF4)
    return 0;
  return first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
}

static bool is_surrogate(uint32_t character) {
  return character >= 0xD800 && character <= 0xDFFF;
}

size_t sg_utf8_character(const char *text, uint32_t *character) {
  static const uint32_t LEAST[] = {0, 0, 0x80, 0x800, 0x10000};
  const unsigned char *at = (const unsigned char *)text;
  size_t length = length_of(at[0]);
  if (length == 0)
    return 0;
  *character = length == 1 ? at[0] : at[0] & (0x7FU >> length);
  for (size_t i = 1; i < length; i++) {
    if ((at[i] & 0xC0) != 0x80) /* this also ends at the end of the text */
      return 0;
    *character = *character << 6 | (at[i] & 0x3F);
  }
  bool valid = *character >= LEAST[length] && *character <= 0x10FFFF && !is_surrogate(*character);
  return valid ? length : 0;
}

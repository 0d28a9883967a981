/* printable.c - see printable.h. */
#include "printable.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/**
 * Ranges of control, format and separator characters above ASCII (Unicode 15: Cc, Cf, Zl, Zp,
 * surrogates), in order.
 */
static const struct {
  uint32_t first, last;
} STEERS[] = {{0x80, 0x9F},       {0xAD, 0xAD},       {0x600, 0x605},     {0x61C, 0x61C},
              {0x6DD, 0x6DD},     {0x70F, 0x70F},     {0x890, 0x891},     {0x8E2, 0x8E2},
              {0x180E, 0x180E},   {0x200B, 0x200F},   {0x2028, 0x202E},   {0x2060, 0x2064},
              {0x2066, 0x206F},   {0xD800, 0xDFFF},   {0xFEFF, 0xFEFF},   {0xFFF9, 0xFFFB},
              {0x110BD, 0x110BD}, {0x110CD, 0x110CD}, {0x13430, 0x1343F}, {0x1BCA0, 0x1BCA3},
              {0x1D173, 0x1D17A}, {0xE0001, 0xE0001}, {0xE0020, 0xE007F}};

static bool steers(uint32_t character) {
  if (character < 0x80)
    return character < ' ' || character == 0x7F;
  for (size_t i = 0; i < sizeof STEERS / sizeof *STEERS; i++)
    if (character >= STEERS[i].first && character <= STEERS[i].last)
      return true;
  return false;
}

/** The length of a character by its first byte; 0: not a first byte. */
static size_t length_of(unsigned char first) {
  if (first < 0x80)
    return 1;
  if (first < 0xC2 || first > 0xF4)
    return 0;
  return first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
}

/** The bytes of the character at `at`; 0: invalid, or not its shortest encoding. */
static size_t decode(const unsigned char *at, uint32_t *character) {
  static const uint32_t LEAST[] = {0, 0, 0x80, 0x800, 0x10000};
  size_t length = length_of(at[0]);
  if (length == 0)
    return 0;
  *character = length == 1 ? at[0] : at[0] & (0x7FU >> length);
  for (size_t i = 1; i < length; i++) {
    if ((at[i] & 0xC0) != 0x80) /* this also ends at the end of the text */
      return 0;
    *character = *character << 6 | (at[i] & 0x3F);
  }
  return *character >= LEAST[length] && *character <= 0x10FFFF ? length : 0;
}

void sg_printable(char *text) {
  while (*text) {
    uint32_t character = 0;
    size_t length = decode((const unsigned char *)text, &character);
    if (length == 0 || steers(character))
      memset(text, *text == '\n' ? ';' : '?', length = length > 0 ? length : 1);
    text += length;
  }
}

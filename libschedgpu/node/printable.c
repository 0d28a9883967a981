/* printable.c - see printable.h. */
#include "printable.h"
#include "../conf/utf8.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/**
 * Ranges of control, format and separator characters above ASCII (Unicode 15: Cc, Cf, Zl, Zp), in
 * order.
 */
static const struct {
  uint32_t first, last;
} STEERS[] = {{0x80, 0x9F},       {0xAD, 0xAD},       {0x600, 0x605},     {0x61C, 0x61C},
              {0x6DD, 0x6DD},     {0x70F, 0x70F},     {0x890, 0x891},     {0x8E2, 0x8E2},
              {0x180E, 0x180E},   {0x200B, 0x200F},   {0x2028, 0x202E},   {0x2060, 0x2064},
              {0x2066, 0x206F},   {0xFEFF, 0xFEFF},   {0xFFF9, 0xFFFB},   {0x110BD, 0x110BD},
              {0x110CD, 0x110CD}, {0x13430, 0x1343F}, {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A},
              {0xE0001, 0xE0001}, {0xE0020, 0xE007F}};

static bool steers(uint32_t character) {
  if (character < 0x80)
    return character < ' ' || character == 0x7F;
  for (size_t i = 0; i < sizeof STEERS / sizeof *STEERS; i++)
    if (character >= STEERS[i].first && character <= STEERS[i].last)
      return true;
  return false;
}

void sg_printable(char *text) {
  while (*text) {
    uint32_t character = 0;
    size_t length = sg_utf8_character(text, &character);
    if (length == 0 || steers(character))
      memset(text, *text == '\n' ? ';' : '?', length = length > 0 ? length : 1);
    text += length;
  }
}

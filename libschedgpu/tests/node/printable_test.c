/* printable_test.c - texts that users chose, made safe for a log. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>
#include "../../node/printable.h"

static void expect(const char *text, const char *line) {
  char copy[64];
  snprintf(copy, sizeof copy, "%s", text);
  sg_printable(copy);
  assert_string_equal(copy, line);
}

static void names_in_any_script_stay_as_they_are(void **state) {
  (void)state;
  expect("train --mem=6G ~", "train --mem=6G ~");
  expect("J\303\274rgen \346\231\202 \360\237\230\200",
         "J\303\274rgen \346\231\202 \360\237\230\200");
}

static void it_is_one_line(void **state) {
  (void)state;
  expect("a\nb\r\n", "a;b?;");
  expect("\342\200\250\342\200\251", "??????"); /* U+2028, U+2029 */
}

/** ESC, DEL, and U+009B, which means the same as ESC and [. */
static void escape_sequences_are_removed(void **state) {
  (void)state;
  expect("\033[2J\177\302\233", "?[2J???");
}

static void bidirectional_and_invisible_characters_are_removed(void **state) {
  (void)state;
  expect("a\342\200\256b", "a???b");         /* U+202E */
  expect("a\342\201\246b", "a???b");         /* U+2066 */
  expect("a\342\200\213b", "a???b");         /* U+200B */
  expect("\357\273\277a", "???a");           /* U+FEFF */
  expect("\363\240\200\201", "????");        /* U+E0001 */
  expect("\342\200\252x\302\255", "???x??"); /* U+202A, U+00AD */
}

/** A raw 9B is U+009B for a terminal that does not speak UTF-8. */
static void invalid_utf_8_is_not_printed(void **state) {
  (void)state;
  expect("\233"
         "2J",
         "?2J");
  expect("\300\233", "??");            /* 1B in two bytes, which is too long */
  expect("\340\202\233", "???");       /* 9B in three bytes, likewise */
  expect("\355\240\200", "???");       /* half of a character of UTF-16 */
  expect("\364\220\200\200", "????");  /* above U+10FFFF */
  expect("\303", "?");                 /* cut off */
  expect("\360\237\230", "???");       /* cut off */
  expect("\303\303\274", "?\303\274"); /* the next one is whole */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_in_any_script_stay_as_they_are),
      cmocka_unit_test(it_is_one_line),
      cmocka_unit_test(escape_sequences_are_removed),
      cmocka_unit_test(bidirectional_and_invisible_characters_are_removed),
      cmocka_unit_test(invalid_utf_8_is_not_printed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

package org.schedgpu.jna;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PrintableTest {
  /** ESC, CSI as one character, DEL, line feed, line separator, right-to-left, half a character. */
  @ParameterizedTest
  @ValueSource(ints = {0x1b, 0x9b, 0x7f, '\n', '\r', '\t', 0, 0x2028, 0x202e, 0xfffd, 0xd800})
  void whatSteersATerminalBecomesAMark(int odd) {
    assertEquals("a?[2J", Printable.of("a" + (char) odd + "[2J"));
  }

  @Test
  void lettersOfAllScriptsStay() {
    for (String name : new String[] {"", "train.sh", "~ {}", "Größe", "訓練", "\ud83d\ude80"}) {
      assertSame(name.intern(), Printable.of(name).intern());
    }
  }

  @Test
  void aCharacterOfTwoHalvesIsOne() {
    assertEquals("?\ud83d\ude80?", Printable.of("\u0007\ud83d\ude80\udb40\udc01"));
  }
}

package org.schedgpu.agent.text;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.OptionalLong;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.schedgpu.gres.common.GresException;
import org.schedgpu.gres.common.Sizes;
import org.schedgpu.jna.Units;

/**
 * {@code schedgpu gres} reads sizes in Java, because it needs no library, by libschedgpu's rules.
 */
class SizesAgreeTest {
  private static final long WHOLE = 80L << 30;
  private static final String[] WORDS = {
    "0",
    "1",
    "6",
    "40",
    "100",
    "101",
    "007",
    "8192",
    "9223372036854775807",
    "18446744073709551616",
    "K",
    "M",
    "G",
    "T",
    "P",
    "E",
    "g",
    "p",
    "i",
    "iB",
    "IB",
    "Ib",
    "B",
    "%",
    " ",
    ".",
    "-",
    "+",
    "\t",
    "\u0131",
    "\u0661"
  };

  private static OptionalLong ofGres(String text) {
    try {
      return OptionalLong.of(Sizes.parseBytes(text, WHOLE));
    } catch (GresException refused) {
      return OptionalLong.empty();
    }
  }

  @Test
  void everyTextIsTheSameSizeInBoth() {
    assertSame("");
    for (String one : WORDS) {
      assertSame(one);
      for (String two : WORDS) {
        assertSame(one + two);
        for (String three : WORDS) {
          assertSame(one + two + three);
        }
      }
    }
  }

  @Test
  void soIsEveryNumberWithItsUnit() {
    Random random = new Random(9);
    for (int i = 0; i < 2000; i++) {
      long number = random.nextLong() >>> random.nextInt(Long.SIZE);
      String unit = WORDS[random.nextInt(WORDS.length)];
      assertSame(Long.toUnsignedString(number) + unit);
    }
  }

  private static void assertSame(String text) {
    assertEquals(Units.bytes(text, WHOLE), ofGres(text), () -> "'" + text + "'");
  }
}

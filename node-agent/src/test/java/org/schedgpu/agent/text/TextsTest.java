package org.schedgpu.agent.text;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.file.Path;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.schedgpu.agent.problem.AgentException;

class TextsTest {
  private static final long SECOND = 1_000_000_000L;

  @Test
  void durationsHaveTwoUnits() {
    assertEquals("0s", Texts.duration(-1));
    assertEquals("59s", Texts.duration(59 * SECOND + 1));
    assertEquals("1m05s", Texts.duration(65 * SECOND));
    assertEquals("2h03m", Texts.duration((2 * 3600 + 3 * 60 + 59) * SECOND));
    assertEquals("4d02h", Texts.duration((4 * 24 + 2) * 3600 * SECOND));
  }

  @Test
  void sizesHaveOneDecimal() {
    assertEquals("0.0", Texts.gib(0));
    assertEquals("0.3", Texts.gib(1L << 28));
    assertEquals("15.5", Texts.gib(31L << 29));
    assertEquals("-1.5", Texts.gib(-3L << 29));
    for (long bytes = 1; bytes > 0; bytes = bytes * 5 / 4 + 12_345_678) {
      assertEquals(
          String.format(Locale.ROOT, "%.1f", bytes / (double) (1L << 30)), Texts.gib(bytes));
    }
  }

  @Test
  void aFileThatIsNotThereIsNamed() {
    AgentException problem =
        assertThrows(AgentException.class, () -> Texts.lines(Path.of("/no/such.conf")));
    assertEquals("/no/such.conf: there is no such file: check the path", problem.getMessage());
  }
}

package org.schedgpu.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** {@code mvn test -Dschedgpu.regenerate=true} writes the golden files anew: read them then. */
class StatusTest {
  private static final Style PLAIN = new Style(false);

  private static void assertGolden(String name, String actual) throws IOException {
    Path file = Path.of("src/test/resources", name);
    if (Boolean.getBoolean("schedgpu.regenerate")) {
      Files.writeString(file, actual);
    }
    assertEquals(Files.readString(file), actual);
  }

  @Test
  void textIsTheGoldenOne() throws IOException {
    assertGolden("status.txt", StatusText.of(Snapshots.report(Snapshots.busy()), PLAIN));
  }

  @Test
  void jsonIsTheGoldenOne() throws IOException {
    assertGolden("status.json", StatusJson.of(Snapshots.report(Snapshots.busy())));
  }

  @Test
  void textFitsIntoEightyColumns() {
    StatusText.of(Snapshots.report(Snapshots.busy()), PLAIN)
        .lines()
        .forEach(line -> assertTrue(line.length() <= 80, line));
  }

  @Test
  void textIsAsciiSoThatEveryTerminalShowsIt() {
    String text = StatusText.of(Snapshots.report(Snapshots.busy()), PLAIN);
    assertEquals(
        text, new String(text.getBytes(StandardCharsets.US_ASCII), StandardCharsets.US_ASCII));
  }

  @Test
  void damageIsNamed() {
    assertEquals(
        """
        /run/schedgpu: policy priority-fifo, 0 jobs, 0 waiting

        damaged: job record 3: mode 9: left out
        The region holds numbers that cannot be right: run schedgpu doctor.
        """,
        StatusText.of(Snapshots.report(Snapshots.damaged()), PLAIN));
  }

  @Test
  void coloursChangeNothingElse() {
    StatusReport report = Snapshots.report(Snapshots.busy());
    String coloured = StatusText.of(report, new Style(true));
    assertTrue(coloured.contains("\u001b[1m"));
    assertEquals(StatusText.of(report, PLAIN), coloured.replaceAll("\u001b\\[[0-9]*m", ""));
  }
}

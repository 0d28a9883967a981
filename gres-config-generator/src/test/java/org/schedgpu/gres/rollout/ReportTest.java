package org.schedgpu.gres.rollout;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

/** Lines and progress. */
class ReportTest {
  private final StringWriter text = new StringWriter();

  @Test
  void elsewhereProgressIsALineWhenItChanges() {
    Report report = new Report(new PrintWriter(text), false);
    report.progress("2 jobs", 0);
    report.progress("2 jobs", 5);
    report.progress("1 job", 65);
    report.line("");
    report.line("drained: gpu1");
    assertEquals(
        "2 jobs\n1 job, after 1 min 05 s\ndrained: gpu1\n",
        text.toString().replace(System.lineSeparator(), "\n"));
  }

  @Test
  void onATerminalItIsOneLineThatIsRewritten() {
    Report report = new Report(new PrintWriter(text), true);
    report.progress("2 jobs", 1);
    report.progress("x".repeat(200), 7200);
    report.line("drained: gpu1");
    String[] parts = text.toString().split("\r\033\\[K", -1);
    assertEquals(4, parts.length);
    assertEquals("2 jobs, 1 s", parts[1]);
    assertTrue(parts[2].length() <= 79 && parts[2].endsWith("x..., 2 h 00 min"), parts[2]);
    assertEquals("drained: gpu1", parts[3].strip());
  }
}

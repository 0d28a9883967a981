package org.schedgpu.gpucheck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.schedgpu.gpucheck.Frameworks.Framework;

class ReportTest {
  private static final Machine REAL =
      new Machine(0, "GPU-1", "NVIDIA H200", 150L << 30, 1 << 30, 600 << 20, 132, 13000, "580.1");
  private static final Machine EMULATED =
      new Machine(0, "GPU-2", "Emulated GPU 0", 16L << 30, 0, 256 << 20, 16, 13000, "580.0");
  private static final Frameworks FRAMEWORKS =
      new Frameworks(
          Optional.empty(),
          Map.of("torch", new Framework("2.11.0", ""), "jax", new Framework("", "not installed")));

  private static Finding finding(String check, String result) {
    return new Finding("books", check, Outcome.FAILED, result, Map.of());
  }

  @Test
  void longResultsAreWrappedAt80Columns() {
    String lines = Report.lines(finding("a check", "word ".repeat(60).strip()));
    assertTrue(lines.lines().allMatch(line -> line.length() <= 80), lines);
    assertEquals(60, lines.split("word", -1).length - 1);
    assertTrue(lines.lines().skip(1).allMatch(line -> line.startsWith("       word")), lines);
  }

  @Test
  void aWordThatIsTooLongIsCutAndNotLost() {
    String lines = Report.lines(finding("a check", "x".repeat(200)));
    assertTrue(lines.lines().allMatch(line -> line.length() <= 80), lines);
    assertEquals(200, lines.chars().filter(c -> c == 'x').count());
  }

  @Test
  void anEmulatorIsNamedFirst() {
    assertTrue(Report.head(EMULATED, FRAMEWORKS).startsWith("EMULATED: this is no GPU."));
    assertTrue(
        Report.head(REAL, FRAMEWORKS)
            .startsWith("NVIDIA H200, 150.00 GiB, driver 580.1, CUDA 13.0"));
  }

  @Test
  void frameworksAreShownWithVersionOrReason() {
    String head = Report.head(REAL, FRAMEWORKS);
    assertTrue(head.contains("torch  2.11.0"), head);
    assertTrue(head.contains("jax    not installed"), head);
  }
}

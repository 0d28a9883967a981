package org.schedgpu.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ParsingTest {
  private static final String REPORT =
      "{\"program\":\"ara\",\"scale\":20,\"outcome\":\"completed\",\"fromNs\":10,\"toNs\":90,"
          + "\"busyNs\":5,\"kernelNs\":6,\"asking\":[[20,30],[60,70]],\"holding\":[[30,50]]}";

  @Test
  void reportIsFoundAmongOtherLines() {
    ProgramReport report = ProgramReport.find("hello\n" + REPORT + "\n").orElseThrow();
    assertEquals("ara", report.program());
    assertEquals(List.of(List.of(20L, 30L), List.of(60L, 70L)), report.asking());
    assertEquals(List.of(List.of(30L, 50L)), report.holding());
    assertEquals(90, report.toNs());
  }

  @Test
  void killedJobHasNoReport() {
    assertEquals(Optional.empty(), ProgramReport.find("Killed\n"));
  }

  @Test
  void brokenReportIsNamed() {
    DemoException e =
        assertThrows(DemoException.class, () -> ProgramReport.find("{\"program\": oops"));
    assertTrue(e.getMessage().contains("{\"program\": oops"), e.getMessage());
  }

  @Test
  void waitsAreCountedAsSchedGpuTellsThem() {
    String begin =
        "schedgpu: waiting for 0.6 GiB on device 0, 0.3 GiB free: place 1 in the queue\n";
    String end = "schedgpu: got 0.6 GiB on device 0 after 1.2 s\n";
    assertEquals(new JobWaits(0, 0), JobWaits.in(""));
    assertTrue(JobWaits.in("x\n" + begin).waits());
    assertEquals(new JobWaits(2, 1), JobWaits.in(begin + end + begin));
    assertFalse(JobWaits.in(begin + end).waits());
    assertFalse(JobWaits.in(begin + "schedgpu: stopped waiting for 0.6 GiB\n").waits());
  }

  @Test
  void sampleIsFourNumbers() {
    assertEquals(new Sample(7, 5032116224L, 100, -1), Sample.parse("7 5032116224 100 -1"));
    assertThrows(DemoException.class, () -> Sample.parse("7 8 9"));
    assertThrows(DemoException.class, () -> Sample.parse("7 8 9 x"));
  }
}

package org.schedgpu.papers.paper004;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.demo.DemoException;
import org.schedgpu.demo.EmulatedLanes;
import org.schedgpu.demo.EmulatedLanes.Device;
import org.schedgpu.demo.EmulatedLanes.Outcome;
import org.schedgpu.demo.EmulatedLanes.Program;
import org.schedgpu.demo.Iteration;

/** Real processes on the emulated GPU, with small sizes. No test asserts a time. */
class EmulatedTest {
  private static final Path ROOT =
      Path.of(System.getProperty("schedgpu.root")).toAbsolutePath().normalize();
  private static final int GB_MIB = 20;

  @Test
  void twoProgramsThatAllocateByTurnsDeadlockWithoutLanesAndNotWith() throws Exception {
    EmulatedLanes lanes = new EmulatedLanes(ROOT);
    assertTrue(lanes.deadlocks(GB_MIB, false));
    assertFalse(lanes.deadlocks(GB_MIB, true));
  }

  @Test
  void programsOfOneLaneHaveAllTheirIterationsOneAtATime() throws Exception {
    Program first = new Program("first", 0, 10, 200, 100, 1000, 5, 0);
    Program server = new Program("server", 0, 10, 200, 100, 1000, 3, 1000);
    Outcome outcome =
        new EmulatedLanes(ROOT).play(new Device(420, 32, 1), "fair", List.of(first, server));
    assertEquals(List.of(5, 3), outcome.iterations().stream().map(List::size).toList());
    for (Iteration one : outcome.iterations().get(0)) {
      for (Iteration other : outcome.iterations().get(1)) {
        assertTrue(one.endedNs() <= other.begunNs() || other.endedNs() <= one.begunNs());
      }
    }
    assertTrue(outcome.peakBytes() <= 420L << 20);
  }

  @Test
  void aProgramThatFailsIsNamedWithWhatItSaid() throws Exception {
    Program large = new Program("large", 0, 10, 4000, 100, 1000, 5, 0);
    EmulatedLanes lanes = new EmulatedLanes(ROOT);
    String text =
        assertThrows(
                DemoException.class,
                () -> lanes.play(new Device(420, 32, 1), "fair", List.of(large)))
            .getMessage();
    assertTrue(text.startsWith("demo: large ended with status"), text);
  }

  @Test
  void theFileSaysThatTheGpuIsEmulatedAndHasAFigureInEachLine() {
    assertEquals(
        "# Measured on the EMULATED GPU by: lab/papers/src/main/sh/papers --emulator\n"
            + "figure11.half\t0.508\n",
        EmulatorRun.text(Map.of("figure11.half", 0.5083)));
  }

  @Test
  void aFileThatIsMissingIsNamed(@TempDir Path nothing) {
    String text =
        assertThrows(UncheckedIOException.class, () -> new Emulated(nothing)).getMessage();
    assertTrue(text.startsWith("papers: cannot read " + nothing), text);
  }
}

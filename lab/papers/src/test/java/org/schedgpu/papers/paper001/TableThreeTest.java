package org.schedgpu.papers.paper001;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.schedgpu.papers.phases.PhasedOutcome;

/** The simulated demo is the measured one. */
class TableThreeTest {
  private static final Path ROOT =
      Path.of(System.getProperty("schedgpu.root")).toAbsolutePath().normalize();
  private static final double CLOSE_PERCENT = 5;

  private final TableThree table = new TableThree(ROOT);

  @Test
  void eachTotalIsWithinFivePercentOfTheDemo() {
    for (Configuration configuration : Configuration.values()) {
      double off = table.offPercent(configuration, table.readme().of(configuration).orElseThrow());
      assertTrue(Math.abs(off) < CLOSE_PERCENT, () -> configuration + ": " + off + " %");
    }
  }

  @Test
  void asManyJobsAreDone() {
    for (Configuration configuration : Configuration.values()) {
      PhasedOutcome outcome = Workload.play(configuration);
      assertEquals(
          table.readme().of(configuration).orElseThrow().done(),
          outcome.completed(),
          configuration.title());
    }
  }

  @Test
  void theSameAgainIsTheSame() {
    assertEquals(Workload.play(Configuration.MMU), Workload.play(Configuration.MMU));
  }

  @Test
  void theColumnsOfTheMeasuredTableAreRead() {
    Measured.Run fifo = table.readme().of(Configuration.FIFO).orElseThrow();
    assertEquals(12, fifo.done());
    assertTrue(fifo.totalS() > 400 && fifo.totalS() < 500, () -> "total " + fifo.totalS());
    assertTrue(fifo.busyPercent() > 40 && fifo.memoryPercent() > 40, fifo::toString);
  }
}

package org.schedgpu.papers.paper001;

import java.awt.image.BufferedImage;
import java.util.List;
import java.util.Map;
import org.schedgpu.papers.common.Drawing;
import org.schedgpu.papers.common.Lines;
import org.schedgpu.papers.phases.PhasedOutcome;

/** Memory in use over time, of the configurations with schedGPU that differ visibly. */
final class MemoryChart implements Drawing {
  private static final double NS = 1e9;

  private final Map<Configuration, PhasedOutcome> outcomes;

  MemoryChart(Map<Configuration, PhasedOutcome> outcomes) {
    this.outcomes = outcomes;
  }

  @Override
  public BufferedImage draw() {
    Lines lines =
        new Lines(
            "Twelve jobs on one GPU: device memory in use",
            "seconds since the first submission",
            "% of the device's memory");
    for (Configuration shown : List.of(Configuration.FIFO, Configuration.MMU)) {
      List<PhasedOutcome.Point> points = outcomes.get(shown).points();
      lines.steps(
          shown.title(),
          points.stream().mapToDouble(point -> point.atNs() / NS).toArray(),
          points.stream().mapToDouble(MemoryChart::percent).toArray());
    }
    return lines.draw();
  }

  private static double percent(PhasedOutcome.Point point) {
    return 100.0 * point.usedBytes() / (UseCase.DEVICE_MIB * UseCase.MIB);
  }
}

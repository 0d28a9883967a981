package org.schedgpu.papers.paper001;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.schedgpu.papers.phases.PhasedJob;
import org.schedgpu.papers.phases.Step;

class UseCaseTest {
  private static final Path ROOT =
      Path.of(System.getProperty("schedgpu.root")).toAbsolutePath().normalize();
  private static final double NS = 1e9;

  @Test
  void theNumbersAreThoseOfTheDemo() throws IOException {
    String program = Files.readString(ROOT.resolve("lab/demo/src/main/c/program.c"));
    for (UseCase useCase : UseCase.ALL) {
      String numbers =
          String.format(
              Locale.ROOT,
              "{\"%s\", %.3f, %.0f, %.2f, %.2f, %d}",
              useCase.name(),
              useCase.aloneS(),
              useCase.peakPercent(),
              useCase.averagePercent(),
              useCase.busyPercent(),
              useCase.cycles());
      assertTrue(program.contains(numbers), numbers);
    }
    assertTrue(program.contains("\"DEMO_DEVICE_MIB\", " + UseCase.DEVICE_MIB), "device");
    assertTrue(program.contains("\"DEMO_CONTEXT_MIB\", " + UseCase.CONTEXT_MIB), "context");
  }

  /** lab/demo/README.md: 2.3 %, 20.6 % and 93.7 % of its run. */
  @Test
  void memoryIsHeldAsTheDemoSays() {
    List<Double> percent = UseCase.ALL.stream().map(u -> 100 * u.heldS() / u.aloneS()).toList();
    assertEquals(2.3, percent.get(0), 0.05);
    assertEquals(20.6, percent.get(1), 0.05);
    assertEquals(93.7, percent.get(2), 0.05);
  }

  @Test
  void theStepsOfAProgramTakeAsLongAsThePaperMeasured() {
    for (UseCase useCase : UseCase.ALL) {
      PhasedJob job = useCase.job(1, 0, 0, 0.16);
      double cpuS = 0;
      double kernelS = 0;
      for (Step step : job.steps()) {
        cpuS += step instanceof Step.Cpu cpu ? cpu.ns() / NS : 0;
        kernelS += step instanceof Step.Kernel kernel ? kernel.ns() / NS : 0;
      }
      assertEquals(useCase.aloneS(), cpuS + kernelS, 1e-3);
      assertEquals(useCase.busyS(), kernelS, 1e-3);
    }
  }
}

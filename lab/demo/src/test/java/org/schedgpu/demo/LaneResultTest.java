package org.schedgpu.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class LaneResultTest {
  private static final long SECOND = 1_000_000_000;

  /** A training whose iterations begin at these seconds, and last one each. */
  private static TrainingResult training(String name, int exitCode, long... begins) {
    List<Iteration> iterations = new ArrayList<>();
    for (long begin : begins) {
      iterations.add(new Iteration(begin * SECOND, begin * SECOND, (begin + 1) * SECOND));
    }
    return new TrainingResult(
        new Training(name, 0, 1_000_000, begins.length), 0, exitCode, iterations, "");
  }

  private static LaneResult result(TrainingResult... results) {
    return new LaneResult(Scenario.srtf(1, false), Arrays.asList(results), 7 << 20);
  }

  @Test
  void iterationsWithoutAnotherBetweenThemAreOneTurn() {
    LaneResult result = result(training("a", 0, 0, 1, 3), training("b", 0, 2, 4));

    assertEquals(
        List.of(
            new Turn("a", 0, 2 * SECOND, 2),
            new Turn("b", 2 * SECOND, 3 * SECOND, 1),
            new Turn("a", 3 * SECOND, 4 * SECOND, 1),
            new Turn("b", 4 * SECOND, 5 * SECOND, 1)),
        Turn.of(result.results()));
    assertEquals(List.of("a", "b"), result.ends());
    assertFalse(result.failed());
  }

  @Test
  void iterationsAtTheSameTimeAreFailure() {
    LaneResult result = result(training("a", 0, 0, 4), training("b", 0, 4));

    assertEquals(1, Turn.together(result.results()));
    assertTrue(result.failed());
  }

  @Test
  void trainingThatFailedIsFailure() {
    LaneResult result = result(training("a", 0, 0), training("b", 2, 1));

    assertTrue(result.failed());
    String text = LaneReport.text(result);
    assertTrue(
        text.contains("FAILED: b ended with status 2 after 1 of 1 iterations: it wrote no error"),
        text);
  }

  @Test
  void trainingWithoutAllItsIterationsFailed() {
    TrainingResult all = training("a", 0, 0, 1);
    TrainingResult one =
        new TrainingResult(all.training(), 0, 0, all.iterations().subList(0, 1), "");

    assertFalse(all.failed());
    assertTrue(one.failed());
  }

  @Test
  void throughputCountsPartsOfIterations() {
    TrainingResult one = training("a", 0, 0, 1, 2, 3);

    assertEquals(1.5, one.iterationsBetween(SECOND / 2, 2 * SECOND), 1e-9);
    assertEquals(1, one.rate(SECOND / 2, 2 * SECOND), 1e-9);
    LaneResult result = result(one, training("b", 0, 4));
    assertEquals(
        List.of(1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0), result.rates(one), "of a");
    assertTrue(result.rates().stream().allMatch(rate -> rate == 1), result.rates().toString());
  }

  @Test
  void phasesEndWhereTrainingsBeginAndEnd() {
    LaneResult result = result(training("a", 0, 0, 2, 4), training("b", 0, 1, 3));

    assertEquals(
        LongStream.of(0, 1, 4).mapToObj(from -> from * SECOND).toList(),
        result.phases().stream().map(LaneResult.Phase::fromNs).toList());
  }

  @Test
  void reportHasEightyColumnsAndNamesTheEmulatedGpu() {
    for (Scenario scenario : List.of(Scenario.fair(1, false), Scenario.srtf(10, true))) {
      List<TrainingResult> results =
          scenario.trainings().stream().map(one -> training(one.name(), 0, 0)).toList();
      String text =
          LaneReport.introduction() + LaneReport.text(new LaneResult(scenario, results, 0));
      List<String> wide = text.lines().filter(line -> line.length() > 80).toList();
      assertEquals(List.of(), wide);
      assertTrue(text.contains("Without lanes 1 of"), text);
      assertTrue(text.contains("EMULATED GPU"), text);
    }
  }

  @Test
  void memoryOfAllFitsAndTwoBudgetsDoNot() {
    long fixed = Training.MODEL_MIB + LaneNode.CONTEXT_MIB;
    int most = Scenario.srtf(1, false).trainings().size();
    assertTrue(most * fixed + Training.EPHEMERAL_MIB <= LaneNode.DEVICE_MIB);
    assertTrue(2 * (Training.BUDGET_MIB + LaneNode.CONTEXT_MIB) > LaneNode.DEVICE_MIB);
  }

  @Test
  void lineThatIsNoIterationIsNamed() {
    assertEquals(new Iteration(1, 2, 3), Iteration.parse("1 2 3"));
    for (String line : List.of("1 2", "1 2 3 4", "3 2 1", "1 x 3", "")) {
      DemoException e = assertThrows(DemoException.class, () -> Iteration.parse(line));
      assertTrue(e.getMessage().contains("'" + line + "'"), e.getMessage());
    }
  }

  @Test
  void settingsAreReadAndWrongOnesNamed() {
    Path root = Path.of("/root-of-it");
    LaneSettings settings = LaneSettings.of(Map.of(), root);
    assertEquals(new LaneSettings(false, root.resolve("target/demo-lanes")), settings);
    assertTrue(LaneSettings.of(Map.of("DEMO_LANES", "short"), root).isShort());
    assertEquals(
        "demo: DEMO_LANES='tiny': use full or short",
        assertThrows(DemoException.class, () -> LaneSettings.of(Map.of("DEMO_LANES", "tiny"), root))
            .getMessage());
  }
}

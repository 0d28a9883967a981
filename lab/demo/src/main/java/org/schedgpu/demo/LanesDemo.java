package org.schedgpu.demo;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Runs trainings in lanes on one emulated device without Slurm, and reports who had the turn when.
 * Exit status: 0, or 1 if the demo or a training failed, or two trainings had the turn at once.
 */
public final class LanesDemo {
  private static final int SAMPLE_MS = 5;

  private final Artifacts artifacts;
  private final Stop stop;

  private LanesDemo(Artifacts artifacts, Stop stop) {
    this.artifacts = artifacts;
    this.stop = stop;
  }

  /**
   * The demo. The system property {@code demo.root} names the project's folder; settings come from
   * the environment (see {@link LaneSettings}).
   *
   * @param arguments none
   */
  public static void main(String[] arguments) {
    Path root = Path.of(System.getProperty("demo.root", ".")).toAbsolutePath().normalize();
    int status = 1;
    try {
      status = run(LaneSettings.of(System.getenv(), root), new Artifacts(root), System.out);
    } catch (DemoException e) {
      System.err.println(e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    System.exit(status);
  }

  private static int run(LaneSettings settings, Artifacts artifacts, PrintStream out)
      throws InterruptedException {
    artifacts.requireLanes();
    Stop stop = new Stop(out);
    try {
      return new LanesDemo(artifacts, stop).runAll(settings, out);
    } catch (DemoException e) {
      if (stop.isStopping()) {
        return 1;
      }
      throw e;
    }
  }

  private int runAll(LaneSettings settings, PrintStream out) throws InterruptedException {
    StringBuilder all = new StringBuilder(LaneReport.introduction());
    out.print(all);
    List<LaneResult> results = new ArrayList<>();
    for (Scenario scenario : settings.scenarios()) {
      LaneResult result = runOne(scenario);
      results.add(result);
      String text = LaneReport.text(result);
      all.append(text);
      out.print(text);
    }
    write(settings.output(), all.toString(), results);
    out.println("\nWritten: " + settings.output() + "/{lanes.png,lanes.txt}");
    return results.stream().anyMatch(LaneResult::failed) ? 1 : 0;
  }

  private LaneResult runOne(Scenario scenario) throws InterruptedException {
    try (stop) {
      EmulatedGpu gpu =
          stop.closeLater(
              new EmulatedGpu(
                  artifacts,
                  "lanes-" + scenario.policy(),
                  LaneNode.DEVICE_MIB,
                  LaneNode.CONTEXT_MIB));
      LaneNode node = new LaneNode(artifacts, gpu, scenario.quantumMs());
      Sampler sampler = stop.closeLater(gpu.sample(SAMPLE_MS));
      LaneRun run = stop.closeLater(new LaneRun(scenario, node, gpu));
      List<TrainingResult> results = run.run();
      long peak = sampler.finish().stream().mapToLong(Sample::usedBytes).max().orElse(0);
      return new LaneResult(scenario, results, peak);
    }
  }

  private static void write(Path folder, String text, List<LaneResult> results) {
    try {
      Files.createDirectories(folder);
      Files.writeString(folder.resolve("lanes.txt"), text);
    } catch (IOException e) {
      throw new DemoException("cannot write into " + folder, e);
    }
    LanePicture.write(results.get(0), results.get(1), folder.resolve("lanes.png"));
  }
}

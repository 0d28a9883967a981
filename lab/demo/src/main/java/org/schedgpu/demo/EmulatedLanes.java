package org.schedgpu.demo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Any programs of iterations on one emulated device, without Slurm: real processes, and the real
 * library if they are in lanes. For the figures of the papers.
 */
public final class EmulatedLanes {
  private static final int SAMPLE_MS = 20;
  private static final int LOOK_MS = 20;
  private static final long LIMIT_SECONDS = 300;
  private static final long HOUR_MS = 3_600_000;

  private final Artifacts artifacts;
  private final Stop stop = new Stop(System.err);

  /**
   * The device.
   *
   * @param mib its memory
   * @param contextMib memory of a CUDA context
   * @param quantumMs of {@code fair}
   */
  public record Device(long mib, long contextMib, long quantumMs) {}

  /**
   * A program.
   *
   * @param name unique
   * @param arrivalMs when it starts
   * @param persistentMib what it keeps between iterations
   * @param ephemeralMib what it needs besides inside one
   * @param cpuUs how long an iteration does not compute on the device, at least 1
   * @param kernelUs how long it does
   * @param gapUs mean time between requests of an inference server; 0 for a training
   * @param lengthMs what it declares for {@code srtf}
   */
  public record Program(
      String name,
      long arrivalMs,
      long persistentMib,
      long ephemeralMib,
      long cpuUs,
      long kernelUs,
      int iterations,
      long gapUs,
      long lengthMs) {
    /** A program of a policy that needs no length. */
    public Program(
        String name,
        long arrivalMs,
        long persistentMib,
        long ephemeralMib,
        long cpuUs,
        long kernelUs,
        int iterations,
        long gapUs) {
      this(
          name,
          arrivalMs,
          persistentMib,
          ephemeralMib,
          cpuUs,
          kernelUs,
          iterations,
          gapUs,
          HOUR_MS);
    }

    private List<String> words(int seed, EmulatedGpu gpu) {
      List<String> words = new ArrayList<>(List.of("-c", "" + cpuUs));
      if (gapUs > 0) {
        words.addAll(List.of("-g", "" + gapUs, "-s", "" + seed));
      }
      words.addAll(List.of("" + persistentMib, "" + ephemeralMib, "" + kernelUs));
      words.addAll(List.of("" + iterations));
      words.add(LaneProgram.recordOf(name, gpu).toString());
      return words;
    }
  }

  /**
   * What came out.
   *
   * @param startNs when the first program was started, CLOCK_MONOTONIC
   * @param iterations of each program
   * @param atOnce the most programs in lanes at a time that was seen; 0 if they do not arrive
   *     together
   * @param peakBytes the most memory in use, by NVML
   */
  public record Outcome(
      long startNs, List<List<Iteration>> iterations, int atOnce, long peakBytes) {
    public Outcome {
      iterations = iterations.stream().map(List::copyOf).toList();
    }
  }

  /**
   * Finds what was built.
   *
   * @param root the project's folder
   * @throws DemoException naming what is not built
   */
  public EmulatedLanes(Path root) {
    artifacts = new Artifacts(root);
    artifacts.requireLanes();
  }

  /**
   * Runs the programs in lanes to their end.
   *
   * @throws DemoException if one fails
   */
  public Outcome play(Device device, String policy, List<Program> programs)
      throws InterruptedException {
    try (stop) {
      EmulatedGpu gpu = device(device, "figure-" + policy);
      LaneNode node = new LaneNode(artifacts, gpu, device.quantumMs());
      Sampler sampler = stop.closeLater(gpu.sample(SAMPLE_MS));
      List<LaneProgram> all = new ArrayList<>();
      long startNs = System.nanoTime();
      for (Program program : programs) {
        long atNs = startNs + TimeUnit.MILLISECONDS.toNanos(program.arrivalMs());
        TimeUnit.NANOSECONDS.sleep(atNs - System.nanoTime());
        all.add(start(gpu, node, policy, program, all.size() + 1));
      }
      int atOnce = 0;
      boolean together = programs.stream().allMatch(program -> program.arrivalMs() == 0);
      while (together && atOnce < all.size() && all.stream().anyMatch(LaneProgram::isAlive)) {
        atOnce = Math.max(atOnce, node.members());
      }
      for (LaneProgram one : all) {
        awaitEnd(one, System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS));
      }
      long peak = sampler.finish().stream().mapToLong(Sample::usedBytes).max().orElse(0);
      List<List<Iteration>> iterations = all.stream().map(LaneProgram::iterations).toList();
      return new Outcome(startNs, iterations, atOnce, peak);
    }
  }

  private EmulatedGpu device(Device device, String name) {
    return stop.closeLater(new EmulatedGpu(artifacts, name, device.mib(), device.contextMib()));
  }

  private LaneProgram start(
      EmulatedGpu gpu, LaneNode node, String policy, Program program, int seed) {
    return stop.closeLater(
        node.start(
            program.name(),
            policy,
            program.persistentMib(),
            program.persistentMib() + program.ephemeralMib(),
            program.lengthMs(),
            program.words(seed, gpu)));
  }

  private static void awaitEnd(LaneProgram one, long deadlineNs) throws InterruptedException {
    int status = one.awaitEnd(deadlineNs);
    if (status != 0) {
      throw new DemoException(
          "%s ended with status %d: %s".formatted(one.name(), status, one.said()));
    }
  }

  /**
   * Figure 6 of Salus: two programs allocate step by step, each its first two of three parts before
   * either allocates its last.
   *
   * @param gbMib what a GB of the figure is
   * @param lanes whether they are in a lane; without one, and without schedGPU, a program that gets
   *     no memory tries again
   * @return whether both wait for memory forever: each lacks what the other one holds
   */
  public boolean deadlocks(long gbMib, boolean lanes) throws InterruptedException {
    try (stop) {
      Device device = new Device(12 * gbMib + 2 * LaneNode.CONTEXT_MIB, LaneNode.CONTEXT_MIB, 1);
      EmulatedGpu gpu = device(device, "figure-6-" + lanes);
      LaneNode node = lanes ? new LaneNode(artifacts, gpu, device.quantumMs()) : null;
      Path go = gpu.file("go");
      List<LaneProgram> both = new ArrayList<>();
      for (String name : List.of("A", "B")) {
        both.add(progressive(gpu, node, name, gbMib, go));
      }
      int stand = lanes ? 1 : 2; // in a lane the other one waits for the turn
      await(both, () -> count(both, "training: waits for " + go) == stand);
      Files.createFile(go);
      await(
          both,
          () ->
              count(both, "training: waits for memory") == 2
                  || both.stream().noneMatch(LaneProgram::isAlive));
      return both.stream().anyMatch(LaneProgram::isAlive);
    } catch (IOException e) {
      throw new DemoException("cannot let the programs of Figure 6 go on", e);
    }
  }

  private LaneProgram progressive(
      EmulatedGpu gpu, LaneNode node, String name, long gbMib, Path go) {
    String record = LaneProgram.recordOf(name, gpu).toString();
    List<String> words =
        List.of("-p", "" + gbMib, "" + 7 * gbMib, "10000", "10", record, go.toString());
    if (node != null) {
      return stop.closeLater(node.start(name, "fair", gbMib, 8 * gbMib, HOUR_MS, words));
    }
    ProcessBuilder builder =
        artifacts.command(artifacts.program("training"), words.toArray(String[]::new));
    builder.environment().keySet().removeIf(variable -> variable.startsWith("SCHEDGPU"));
    builder.environment().putAll(gpu.environment());
    return stop.closeLater(LaneProgram.start(name, gpu, builder));
  }

  private static long count(List<LaneProgram> all, String words) {
    return all.stream().filter(one -> one.said().contains(words)).count();
  }

  private interface Happened {
    boolean isTrue();
  }

  private static void await(List<LaneProgram> all, Happened happened) throws InterruptedException {
    long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
    while (!happened.isTrue()) {
      for (LaneProgram one : all) {
        if (System.nanoTime() > endNs || (!one.isAlive() && one.process().exitValue() != 0)) {
          throw new DemoException("%s does not go on: %s".formatted(one.name(), one.said()));
        }
      }
      TimeUnit.MILLISECONDS.sleep(LOOK_MS);
    }
  }
}

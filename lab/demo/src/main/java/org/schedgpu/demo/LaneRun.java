package org.schedgpu.demo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs the trainings of a scenario, each at its time. */
final class LaneRun implements AutoCloseable {
  /** Ends trainings that hang; far longer than the scenario. */
  static final long LIMIT_SECONDS = 600;

  private record Started(
      Training training, long ns, Process process, Path record, Path errorFile) {}

  private final Scenario scenario;
  private final LaneNode node;
  private final EmulatedGpu gpu;
  private final List<Started> all = new ArrayList<>();
  private long deadlineNs;

  LaneRun(Scenario scenario, LaneNode node, EmulatedGpu gpu) {
    this.scenario = scenario;
    this.node = node;
    this.gpu = gpu;
  }

  /**
   * Returns when all have ended.
   *
   * @throws DemoException if one does not end
   */
  List<TrainingResult> run() throws InterruptedException {
    long startNs = System.nanoTime();
    deadlineNs = startNs + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
    Path go = scenario.together() ? gpu.file("go") : null;
    for (Training training : scenario.trainings()) {
      long arrivalNs = startNs + TimeUnit.MILLISECONDS.toNanos(training.arrivalMs());
      TimeUnit.NANOSECONDS.sleep(arrivalNs - System.nanoTime());
      start(training, go);
      if (go != null && all.size() == 1) {
        awaitTurn(all.get(0));
        go = null;
      }
    }
    if (scenario.together()) {
      letGo(gpu.file("go"));
    }
    List<TrainingResult> results = new ArrayList<>();
    for (Started started : List.copyOf(all)) {
      results.add(result(started));
    }
    return results;
  }

  private synchronized void start(Training training, Path go) {
    Path record = gpu.file(training.name() + ".iterations");
    Path errors = gpu.file(training.name() + ".errors");
    long ns = System.nanoTime();
    all.add(
        new Started(
            training,
            ns,
            node.start(training, scenario.policy(), record, go, errors),
            record,
            errors));
  }

  /** The first training must have the turn before another one asks for it. */
  private void awaitTurn(Started first) throws InterruptedException {
    while (first.process().isAlive() && node.busyTurns() == 0) {
      checkTime(first);
    }
  }

  /** Lets the first training go on once all others wait for its turn. */
  private void letGo(Path go) throws InterruptedException {
    while (all.stream().allMatch(started -> started.process().isAlive())
        && node.waitingTurns() < all.size() - 1) {
      checkTime(all.get(0));
    }
    try {
      Files.createFile(go);
    } catch (IOException e) {
      throw new DemoException("cannot make " + go, e);
    }
  }

  private void checkTime(Started started) {
    if (System.nanoTime() > deadlineNs) {
      throw new DemoException(
          "%s does not end: %s".formatted(started.training().name(), errors(started)));
    }
  }

  private TrainingResult result(Started started) throws InterruptedException {
    long leftNs = deadlineNs - System.nanoTime();
    if (!started.process().waitFor(leftNs, TimeUnit.NANOSECONDS)) {
      checkTime(started);
    }
    List<Iteration> iterations =
        Files.exists(started.record()) ? Iteration.read(started.record()) : List.of();
    return new TrainingResult(
        started.training(),
        started.ns(),
        started.process().exitValue(),
        iterations,
        errors(started));
  }

  private static String errors(Started started) {
    try {
      return Files.readString(started.errorFile()).strip();
    } catch (IOException e) {
      return "what it wrote to stderr cannot be read: " + e.getMessage();
    }
  }

  /** Kills what still runs. */
  @Override
  public synchronized void close() {
    for (Started started : all) {
      started.process().descendants().forEach(ProcessHandle::destroyForcibly);
      started.process().destroyForcibly();
      try {
        started.process().waitFor();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}

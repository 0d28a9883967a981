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

  private final Scenario scenario;
  private final LaneNode node;
  private final EmulatedGpu gpu;
  private final List<LaneProgram> all = new ArrayList<>();
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
    for (int i = 0; i < scenario.trainings().size(); i++) {
      results.add(result(scenario.trainings().get(i), all.get(i)));
    }
    return results;
  }

  private synchronized void start(Training training, Path go) {
    all.add(node.start(training, scenario.policy(), go));
  }

  /** The first training must have the turn before another one asks for it. */
  private void awaitTurn(LaneProgram first) throws InterruptedException {
    while (first.isAlive() && node.busyTurns() == 0) {
      checkTime(first);
    }
  }

  /** Lets the first training go on once all others wait for its turn. */
  private void letGo(Path go) throws InterruptedException {
    while (all.stream().allMatch(LaneProgram::isAlive) && node.waitingTurns() < all.size() - 1) {
      checkTime(all.get(0));
    }
    try {
      Files.createFile(go);
    } catch (IOException e) {
      throw new DemoException("cannot make " + go, e);
    }
  }

  private void checkTime(LaneProgram started) throws InterruptedException {
    if (System.nanoTime() > deadlineNs) {
      started.awaitEnd(deadlineNs);
    }
  }

  private TrainingResult result(Training training, LaneProgram started)
      throws InterruptedException {
    int status = started.awaitEnd(deadlineNs);
    return new TrainingResult(
        training, started.startedNs(), status, started.iterations(), started.said());
  }

  /** Kills what still runs. */
  @Override
  public synchronized void close() {
    all.forEach(LaneProgram::close);
  }
}

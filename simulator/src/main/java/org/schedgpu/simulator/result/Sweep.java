package org.schedgpu.simulator.result;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import org.schedgpu.simulator.engine.Outcome;
import org.schedgpu.simulator.engine.Scenario;
import org.schedgpu.simulator.engine.Settings;
import org.schedgpu.simulator.engine.Simulation;
import org.schedgpu.simulator.job.Job;

/** Several scenarios of the same jobs. The results do not depend on the number of threads. */
public final class Sweep {
  private final List<Job> jobs;
  private final Settings settings;
  private final long seed;
  private final int threads;

  /**
   * @param jobs in the order of submission; each can run on the cluster
   * @param seed of the uncertainty
   * @param threads that simulate at the same time, at least 1
   */
  public Sweep(List<Job> jobs, Settings settings, long seed, int threads) {
    this.jobs = jobs;
    this.settings = settings;
    this.seed = seed;
    this.threads = threads;
  }

  /**
   * Simulates one job per GPU, and the scenarios.
   *
   * @param progress receives the progress; called by any thread
   * @return one job per GPU, and the scenarios in their order
   */
  public List<Summary> play(List<Scenario> scenarios, Consumer<String> progress) {
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      // The pool starts it before all others, so no thread waits for it forever.
      Future<Outcome> exclusive = pool.submit(() -> play(Scenario.exclusive(), progress));
      List<Future<Summary>> others =
          scenarios.stream().map(s -> pool.submit(() -> compare(s, exclusive, progress))).toList();
      List<Summary> summaries = new ArrayList<>();
      Outcome alone = exclusive.get();
      summaries.add(Summary.of(jobs, alone, alone, seed));
      for (Future<Summary> summary : others) {
        summaries.add(summary.get());
      }
      return summaries;
    } catch (ExecutionException problem) {
      throw problem.getCause() instanceof RuntimeException cause
          ? cause
          : new IllegalStateException(problem.getCause());
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(interrupted);
    } finally {
      pool.shutdownNow();
    }
  }

  private Outcome play(Scenario scenario, Consumer<String> progress) {
    Outcome outcome = Simulation.play(jobs, settings, scenario, ended -> {});
    progress.accept(scenario.name());
    return outcome;
  }

  private Summary compare(Scenario scenario, Future<Outcome> exclusive, Consumer<String> progress)
      throws ExecutionException, InterruptedException {
    Outcome outcome = play(scenario, progress);
    return Summary.of(jobs, outcome, exclusive.get(), seed);
  }
}

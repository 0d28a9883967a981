package org.schedgpu.simulator.engine;

import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.schedgpu.simulator.job.Job;

/**
 * Simulates jobs on a cluster: discrete events under a virtual clock. The same jobs, settings and
 * scenario give the same outcome, bit by bit. Thread-safety: one thread runs one simulation;
 * several simulations may run at the same time.
 */
public final class Simulation {
  private static final long REPORT_EVERY = 10_000;

  private final List<Job> jobs;
  private final Scheduler scheduler;
  private final EndHeap ends = new EndHeap();
  private final Computing computing;
  private final Occupied occupied;
  private final long[] startNs;
  private final long[] computeNs;
  private final long[] endNs;
  private final Starts starts;
  private Memory memory;
  private long nowNs;
  private long events;

  private Simulation(
      List<Job> jobs, int[] shapes, Settings settings, Scenario scenario, Starts starts) {
    this.jobs = jobs;
    this.starts = starts;
    Placer placer = new Placer(settings, scenario, new Rules(scenario, settings.contextBytes()));
    this.scheduler = new Scheduler(jobs, shapes, new Queue(jobs, settings.byPriority()), placer);
    this.computing = new Computing(settings.nodes(), ends);
    this.occupied = new Occupied(settings.nodes());
    this.startNs = unknown();
    this.computeNs = unknown();
    this.endNs = unknown();
  }

  private long[] unknown() {
    long[] times = new long[jobs.size()];
    Arrays.fill(times, Outcome.NEVER);
    return times;
  }

  /** True if the job can run on some nodes of the cluster, in all of these scenarios. */
  public static boolean canRun(Job job, Settings settings, List<Scenario> scenarios) {
    return scenarios.stream()
        .map(scenario -> new Rules(scenario, settings.contextBytes()))
        .allMatch(rules -> hasNodes(job, settings, rules));
  }

  private static boolean hasNodes(Job job, Settings settings, Rules rules) {
    return settings.nodes().stream()
            .filter(node -> rules.canRun(node, job))
            .limit(job.nodes())
            .count()
        == job.nodes();
  }

  /**
   * Simulates a scenario.
   *
   * @param jobs in the order of submission, each of which {@link #canRun}
   * @param played receives the number of ended jobs, from time to time
   */
  public static Outcome play(
      List<Job> jobs, Settings settings, Scenario scenario, Consumer<Long> played) {
    return play(jobs, settings, scenario, played, (job, node, deviceMask) -> {});
  }

  /**
   * As above.
   *
   * @param starts receives each start of a job
   */
  public static Outcome play(
      List<Job> jobs, Settings settings, Scenario scenario, Consumer<Long> played, Starts starts) {
    Simulation simulation =
        new Simulation(jobs, Scheduler.shapes(jobs), settings, scenario, starts);
    if (scenario.isExclusive()) {
      simulation.run(played);
    } else {
      try (Memory memory =
          new Memory(
              settings.nodes(), scenario, settings.contextBytes(), settings.overtakeLimit())) {
        simulation.memory = memory;
        simulation.run(played);
      }
    }
    return simulation.outcome(scenario);
  }

  private Outcome outcome(Scenario scenario) {
    return new Outcome(scenario, startNs, computeNs, endNs, occupied.sumNs(), events);
  }

  private void run(Consumer<Long> played) {
    int next = 0;
    long ended = 0;
    while (next < jobs.size() || ends.first() != null) {
      long submitNs = next < jobs.size() ? jobs.get(next).submitNs() : Long.MAX_VALUE;
      nowNs = Math.min(submitNs, ends.first() == null ? Long.MAX_VALUE : ends.first().endNs);
      for (; ends.first() != null && ends.first().endNs == nowNs; ended++) {
        end(ends.first());
        if (ended % REPORT_EVERY == 0) {
          played.accept(ended);
        }
      }
      for (; next < jobs.size() && jobs.get(next).submitNs() == nowNs; next++) {
        scheduler.submit(next);
      }
      scheduler.schedule(nowNs, this::start);
    }
  }

  private void start(Run run) {
    events++;
    startNs[run.index] = nowNs;
    occupied.change(run, 1, nowNs);
    run.parts.forEach(part -> starts.started(run.job, part.node, part.deviceMask));
    if (memory != null) {
      run.partsThatWait = run.parts.size();
      for (Part part : run.parts) {
        if (memory.enter(part, nowNs, this::served)) {
          served(part);
        }
      }
    } else {
      compute(run);
    }
  }

  /** A part of a job has all its memory. */
  private void served(Part part) {
    part.run.partsThatWait--;
    if (part.run.partsThatWait == 0) {
      compute(part.run);
    }
  }

  private void compute(Run run) {
    events++;
    computeNs[run.index] = nowNs;
    computing.begin(run, nowNs);
  }

  private void end(Run run) {
    events++;
    ends.removeFirst();
    endNs[run.index] = nowNs;
    computing.end(run, nowNs);
    occupied.change(run, -1, nowNs);
    scheduler.ended(run);
    if (memory != null) {
      for (Part part : run.parts) {
        memory.leave(part, nowNs, this::served);
      }
    }
  }
}

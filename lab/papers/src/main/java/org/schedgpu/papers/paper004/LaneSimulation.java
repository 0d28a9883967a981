package org.schedgpu.papers.paper004;

import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.PriorityQueue;
import org.schedgpu.papers.phases.Kernels;

/**
 * Plays jobs in lanes of one device, from event to event: when each asks, computes and ends. Who
 * gets what is decided by the core ({@link LaneDevice}). The same jobs give the same outcome, bit
 * by bit. Thread-safety: one thread plays all simulations.
 */
final class LaneSimulation {
  /** How often a process that waits for its turn looks, as those of the library do. */
  private static final long LOOK_NS = 5_000_000L;

  private enum Kind {
    SUBMITTED,
    READY,
    WANTS,
    COMPUTES,
    LOOKS
  }

  private record Timer(long atNs, long order, Kind kind, int job) {}

  private final List<LaneJob> jobs;
  private final List<LaneOutcome.JobRun> runs;
  private final LaneDevice device;
  private final boolean exclusive;
  private final long[] askedNs;

  /** Iterations that each job has begun. */
  private final int[] begun;

  private final Kernels kernels = new Kernels();
  private final BitSet waitForMemory = new BitSet();
  private final BitSet waitForTurn = new BitSet();

  /** Those in a lane that have no work before their next request. */
  private final BitSet rest = new BitSet();

  private final Deque<Integer> submitted = new ArrayDeque<>();
  private final PriorityQueue<Timer> timers =
      new PriorityQueue<>(Comparator.comparingLong(Timer::atNs).thenComparingLong(Timer::order));
  private long nowNs;
  private long timersMade;
  private long lookNs = Long.MAX_VALUE;
  private int inside;
  private long mostBytes;
  private int mostLanes;

  private LaneSimulation(List<LaneJob> jobs, LaneDevice device, boolean exclusive) {
    this.jobs = jobs;
    this.device = device;
    this.exclusive = exclusive;
    this.runs = jobs.stream().map(LaneSimulation::run).toList();
    this.askedNs = new long[jobs.size()];
    this.begun = new int[jobs.size()];
  }

  private static LaneOutcome.JobRun run(LaneJob job) {
    int iterations = job.work().iterations();
    return new LaneOutcome.JobRun(
        job, new long[iterations], new long[iterations], new long[iterations]);
  }

  /**
   * Plays the jobs to their end.
   *
   * @param jobs of the same arrival: in the order of submission
   * @throws IllegalStateException if a job does not fit on the empty device
   */
  static LaneOutcome play(List<LaneJob> jobs, LaneSettings settings) {
    try (LaneDevice device = new LaneDevice(settings, jobs.size())) {
      LaneSimulation simulation = new LaneSimulation(jobs, device, settings.exclusive());
      simulation.play();
      return new LaneOutcome(
          simulation.runs, simulation.mostBytes, simulation.mostLanes, simulation.kernels.busyNs());
    }
  }

  private void play() {
    for (int job = 0; job < jobs.size(); job++) {
      timer(jobs.get(job).arriveNs(), Kind.SUBMITTED, job);
    }
    while (!timers.isEmpty() || kernels.count() > 0) {
      long timerNs = timers.isEmpty() ? Long.MAX_VALUE : timers.peek().atNs();
      nowNs = Math.min(timerNs, kernels.nextEndNs());
      kernels.advance(nowNs);
      for (int job : kernels.takeEnded()) {
        iterationEnds(job);
        wokenGoOn();
      }
      while (!timers.isEmpty() && timers.peek().atNs() == nowNs) {
        happens(timers.remove());
        wokenGoOn();
      }
      watchIdle();
    }
  }

  private void timer(long atNs, Kind kind, int job) {
    timers.add(new Timer(atNs, timersMade++, kind, job));
  }

  private void happens(Timer timer) {
    switch (timer.kind()) {
      case SUBMITTED -> {
        submitted.add(timer.job());
        start();
      }
      case READY -> asksForMemory(timer.job());
      case WANTS -> {
        rest.clear(timer.job());
        wants(timer.job());
      }
      case COMPUTES -> computes(timer.job());
      case LOOKS -> {
        lookNs = Long.MAX_VALUE;
        device.looks(nowNs);
      }
    }
  }

  /** Those that have been submitted start; on a device that is not shared, one after the other. */
  private void start() {
    while (!submitted.isEmpty() && !(exclusive && inside > 0)) {
      int job = submitted.remove();
      inside++;
      timer(nowNs + jobs.get(job).work().startupNs(), Kind.READY, job);
    }
  }

  private void asksForMemory(int job) {
    if (device.enters(job, jobs.get(job), nowNs)) {
      joins(job);
    } else {
      waitForMemory.set(job);
    }
  }

  private void joins(int job) {
    LaneDevice.Use use = device.use();
    mostBytes = Math.max(mostBytes, use.bytes());
    mostLanes = Math.max(mostLanes, use.lanes());
    wantsNext(job);
  }

  private void wokenGoOn() {
    for (Integer job = device.nextWoken(); job != null; job = device.nextWoken()) {
      if (waitForMemory.get(job)) {
        waitForMemory.clear(job);
        device.takesMemory(job, nowNs);
        joins(job);
      } else if (waitForTurn.get(job)) {
        waitForTurn.clear(job);
        device.takesTurn(job, nowNs);
        begins(job);
      }
    }
  }

  private void wantsNext(int job) {
    List<Long> requests = jobs.get(job).work().requestsNs();
    long wantedNs = requests.isEmpty() ? nowNs : requests.get(begun[job]);
    runs.get(job).wantedNs()[begun[job]] = wantedNs;
    if (wantedNs > nowNs) {
      rest.set(job);
      timer(wantedNs, Kind.WANTS, job);
    } else {
      wants(job);
    }
  }

  private void wants(int job) {
    if (device.asksForTurn(job, nowNs)) {
      begins(job);
    } else {
      waitForTurn.set(job);
      askedNs[job] = nowNs;
    }
  }

  private void begins(int job) {
    runs.get(job).beginNs()[begun[job]++] = nowNs;
    if (jobs.get(job).work().cpuNs() > 0) {
      timer(nowNs + jobs.get(job).work().cpuNs(), Kind.COMPUTES, job);
    } else {
      computes(job);
    }
  }

  private void computes(int job) {
    if (jobs.get(job).work().gpuNs() > 0) {
      kernels.begin(job, jobs.get(job).work().gpuNs());
    } else {
      iterationEnds(job);
    }
  }

  private void iterationEnds(int job) {
    runs.get(job).endNs()[begun[job] - 1] = nowNs;
    device.endsIteration(job, nowNs);
    if (begun[job] < jobs.get(job).work().iterations()) {
      wantsNext(job);
      return;
    }
    device.leaves(job, nowNs);
    inside--;
    start();
  }

  /** A turn can be idle only if a job rests between iterations: then the next look counts. */
  private void watchIdle() {
    if (rest.isEmpty() || waitForTurn.isEmpty()) {
      return;
    }
    long nextNs = waitForTurn.stream().mapToLong(this::nextLookNs).min().orElseThrow();
    if (nextNs < lookNs) {
      lookNs = nextNs;
      timer(nextNs, Kind.LOOKS, -1);
    }
  }

  private long nextLookNs(int job) {
    return askedNs[job] + ((nowNs - askedNs[job]) / LOOK_NS + 1) * LOOK_NS;
  }
}

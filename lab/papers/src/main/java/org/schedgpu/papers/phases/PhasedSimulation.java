package org.schedgpu.papers.phases;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.PriorityQueue;

/**
 * Plays jobs step by step on one device, under a virtual clock. The same jobs give the same
 * outcome, bit by bit. Thread-safety: one thread; see {@link CoreMemory}.
 */
public final class PhasedSimulation {
  private record Timer(long atNs, int job) {}

  private final List<JobState> states;
  private final DeviceMemory memory;
  private final Places places;
  private final Kernels kernels = new Kernels();
  private final PriorityQueue<Timer> timers =
      new PriorityQueue<>(Comparator.comparingLong(Timer::atNs).thenComparingInt(Timer::job));
  private final Deque<Integer> ready = new ArrayDeque<>();
  private final List<PhasedOutcome.Point> points = new ArrayList<>();
  private long usedBytes;
  private long nowNs;
  private double memoryByteNs;

  private PhasedSimulation(List<PhasedJob> jobs, Starts starts, DeviceMemory memory) {
    this.states = jobs.stream().map(JobState::new).toList();
    this.memory = memory;
    this.places = new Places(jobs, starts);
  }

  /**
   * Plays the jobs to their end.
   *
   * @param jobs in the order of submission
   * @param memory of the device, of which no job has anything yet
   */
  public static PhasedOutcome play(List<PhasedJob> jobs, Starts starts, DeviceMemory memory) {
    PhasedSimulation simulation = new PhasedSimulation(jobs, starts, memory);
    simulation.run();
    return simulation.outcome();
  }

  private PhasedOutcome outcome() {
    return new PhasedOutcome(
        states.stream().map(JobState::outcome).toList(),
        List.copyOf(points),
        kernels.busyNs(),
        memoryByteNs);
  }

  private void run() {
    startJobs();
    while (!timers.isEmpty() || kernels.count() > 0) {
      long timerNs = timers.isEmpty() ? Long.MAX_VALUE : timers.peek().atNs();
      moveClock(Math.min(timerNs, kernels.nextEndNs()));
      for (int job : kernels.takeEnded()) {
        states.get(job).kernelEnds(nowNs);
        ready.add(job);
      }
      while (!timers.isEmpty() && timers.peek().atNs() == nowNs) {
        ready.add(timers.remove().job());
      }
      while (!ready.isEmpty()) {
        goOn(ready.remove());
      }
      notePoint();
    }
  }

  private void moveClock(long toNs) {
    memoryByteNs += (double) usedBytes * (toNs - nowNs);
    kernels.advance(toNs);
    nowNs = toNs;
  }

  private void notePoint() {
    PhasedOutcome.Point point = new PhasedOutcome.Point(nowNs, usedBytes, kernels.count());
    PhasedOutcome.Point last = points.isEmpty() ? null : points.get(points.size() - 1);
    if (last == null || last.usedBytes() != usedBytes || last.kernels() != kernels.count()) {
      points.add(point);
    }
  }

  private void startJobs() {
    for (Places.Start start : places.take()) {
      timers.add(new Timer(start.atNs(), start.job()));
    }
  }

  /** The job makes steps until one takes time. */
  private void goOn(int job) {
    JobState state = states.get(job);
    if (state.startNs < 0) {
      state.startNs = nowNs;
      memory.begin(job, state.job, nowNs);
    }
    boolean goesOn = true;
    while (goesOn && state.endNs < 0) {
      if (state.step == state.job.steps().size()) {
        end(job);
      } else {
        goesOn = begin(job, state.job.steps().get(state.step++));
      }
    }
  }

  /** Whether the step is done at once. */
  private boolean begin(int job, Step step) {
    if (step instanceof Step.Cpu cpu) {
      timers.add(new Timer(nowNs + cpu.ns(), job));
      return false;
    } else if (step instanceof Step.Kernel kernel) {
      states.get(job).kernelBegins(kernel.ns(), nowNs);
      kernels.begin(job, kernel.ns());
      return false;
    } else if (step instanceof Step.Free free) {
      states.get(job).freed(free.bytes(), nowNs);
      usedBytes -= free.bytes();
      memory.free(job, free.bytes(), nowNs);
      resumeGranted();
      return true;
    }
    return ask(job, step);
  }

  private boolean ask(int job, Step step) {
    DeviceMemory.Answer answer =
        step instanceof Step.Allocate wanted
            ? memory.allocate(job, wanted.bytes(), nowNs)
            : memory.context(job, nowNs);
    switch (answer) {
      case OK -> has(job, step);
      case WAITS -> states.get(job).waits(nowNs);
      case OUT_OF_MEMORY -> {
        states.get(job).outOfMemory = true;
        end(job);
      }
    }
    resumeGranted();
    return answer == DeviceMemory.Answer.OK;
  }

  private void has(int job, Step step) {
    JobState state = states.get(job);
    state.has(nowNs);
    if (step instanceof Step.Allocate wanted) {
      state.allocated(wanted.bytes(), nowNs);
      usedBytes += wanted.bytes();
    } else {
      state.hasContext = true;
      usedBytes += memory.contextBytes();
    }
  }

  private void resumeGranted() {
    for (int job = memory.nextGranted(nowNs); job >= 0; job = memory.nextGranted(nowNs)) {
      has(job, states.get(job).job.steps().get(states.get(job).step - 1));
      ready.add(job);
    }
  }

  private void end(int job) {
    JobState state = states.get(job);
    state.endNs = nowNs;
    usedBytes -= state.allocatedBytes + (state.hasContext ? memory.contextBytes() : 0);
    state.freed(state.allocatedBytes, nowNs);
    memory.end(job, nowNs);
    resumeGranted();
    places.ended(nowNs);
    startJobs();
  }
}

package org.schedgpu.papers.paper002;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import org.schedgpu.jna.Policy;
import org.schedgpu.papers.phases.CoreMemory;
import org.schedgpu.papers.phases.DeviceMemory;
import org.schedgpu.papers.phases.PhasedJob;
import org.schedgpu.papers.phases.PhasedOutcome;
import org.schedgpu.papers.phases.PhasedSimulation;
import org.schedgpu.papers.phases.Starts;
import org.schedgpu.papers.phases.Step;

/** The device of the paper: 4.8 GB, contexts are not counted, and nothing bounds overtaking. */
final class Device {
  private static final long MB = 1_000_000;
  private static final long SECOND_NS = 1_000_000_000L;
  private static final int NO_LIMIT = 0;

  private Device() {}

  /** All tasks start at once; what does not fit waits in the core. */
  static PhasedOutcome play(List<PhasedJob> jobs, Policy policy) {
    try (DeviceMemory memory =
        new CoreMemory(Task.DEVICE_MB * MB, 0, policy, NO_LIMIT, jobs.size())) {
      return PhasedSimulation.play(jobs, Starts.atOnce(jobs.size()), memory);
    }
  }

  /**
   * The order in which waiters of a full device are served, one after the other: numbers of the
   * tasks. They have the whole device in turn, and nothing but the policy decides.
   */
  static List<Integer> order(List<Task> tasks, Policy policy) {
    long lastNs = (long) (tasks.size() * Task.CYCLE_S * SECOND_NS);
    Task all = new Task(0, Task.HIGH, Task.DEVICE_MB);
    PhasedJob full = all.job(2 * lastNs);
    PhasedJob first = new PhasedJob("full", 0, full.budgetBytes(), full.priority(), full.steps());
    List<PhasedJob> jobs = new ArrayList<>(List.of(first));
    tasks.forEach(task -> jobs.add(alone(task)));
    PhasedOutcome outcome = play(jobs, policy);
    return IntStream.range(1, jobs.size())
        .boxed()
        .sorted(Comparator.comparing(i -> outcome.jobs().get(i).endNs()))
        .map(i -> tasks.get(i - 1).number())
        .toList();
  }

  /** The task, but so that no other has room beside it; larger ones stay larger. */
  private static PhasedJob alone(Task task) {
    long bytes = (Task.DEVICE_MB / 2 + 1 + task.memoryMb() / 2) * MB;
    PhasedJob job = task.job(SECOND_NS);
    return new PhasedJob(
        job.name(),
        job.submitNs() + 1,
        bytes,
        job.priority(),
        List.of(new Step.Allocate(bytes), new Step.Kernel(SECOND_NS), new Step.Free(bytes)));
  }
}

package org.schedgpu.papers.paper001;

import java.util.List;
import java.util.stream.IntStream;
import org.schedgpu.jna.Policy;
import org.schedgpu.papers.phases.CoreMemory;
import org.schedgpu.papers.phases.DeviceMemory;
import org.schedgpu.papers.phases.PhasedJob;
import org.schedgpu.papers.phases.PhasedOutcome;
import org.schedgpu.papers.phases.PhasedSimulation;
import org.schedgpu.papers.phases.Starts;
import org.schedgpu.papers.phases.UncheckedMemory;

/**
 * The three scenarios of section 7.2 for instances of one program: one after the other; packed by
 * hand, so many at a time as the memory has room for; all at once with schedGPU. Without a cluster:
 * no time is taken between jobs.
 */
final class Scenarios {
  private static final int PRIORITY = 50;

  /** Kernels of a hundredth of a second. */
  private static final double KERNEL_S = 0.01;

  private Scenarios() {}

  static PhasedOutcome oneByOne(UseCase program, int instances) {
    return withoutSchedGpu(program, instances, Starts.atOnce(1));
  }

  static PhasedOutcome packed(UseCase program, int instances) {
    return withoutSchedGpu(program, instances, Starts.batchesOf(program.fit()));
  }

  static PhasedOutcome schedGpu(UseCase program, int instances) {
    long total = UseCase.DEVICE_MIB * UseCase.MIB;
    long context = UseCase.CONTEXT_MIB * UseCase.MIB;
    try (DeviceMemory memory =
        new CoreMemory(total, context, Policy.FIFO, Workload.OVERTAKE_LIMIT, instances)) {
      return PhasedSimulation.play(
          jobs(program, instances), Starts.atOnce(Math.max(1, instances)), memory);
    }
  }

  private static PhasedOutcome withoutSchedGpu(UseCase program, int instances, Starts starts) {
    try (DeviceMemory memory =
        new UncheckedMemory(
            UseCase.DEVICE_MIB * UseCase.MIB, UseCase.CONTEXT_MIB * UseCase.MIB, instances)) {
      return PhasedSimulation.play(jobs(program, instances), starts, memory);
    }
  }

  private static List<PhasedJob> jobs(UseCase program, int instances) {
    return IntStream.rangeClosed(1, instances)
        .mapToObj(instance -> program.job(instance, 0, PRIORITY, KERNEL_S))
        .toList();
  }
}

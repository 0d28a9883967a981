package org.schedgpu.papers.paper001;

import java.util.ArrayList;
import java.util.List;
import org.schedgpu.papers.phases.CoreMemory;
import org.schedgpu.papers.phases.DeviceMemory;
import org.schedgpu.papers.phases.PhasedJob;
import org.schedgpu.papers.phases.PhasedOutcome;
import org.schedgpu.papers.phases.PhasedSimulation;
import org.schedgpu.papers.phases.Starts;
import org.schedgpu.papers.phases.UncheckedMemory;

/** The workload of section 7.3.2, as the demo runs it: four instances each, one of each in turn. */
final class Workload {
  static final int INSTANCES = 4;
  static final int OVERTAKE_LIMIT = 64;

  /** The demo's kernels take 8 ms of real time. */
  static final double KERNEL_S = 0.008 * SlurmTimes.SCALE;

  private static final int CPUS = 12;
  private static final int NORMAL = 50;
  private static final int HIGH = 100;

  private Workload() {}

  static PhasedOutcome play(Configuration configuration) {
    List<PhasedJob> jobs = jobs();
    boolean exclusive = configuration == Configuration.EXCLUSIVE;
    Starts starts =
        new Starts(
            exclusive ? 1 : CPUS,
            false,
            SlurmTimes.scaledNs(SlurmTimes.START_S),
            SlurmTimes.scaledNs(SlurmTimes.NEXT_S));
    try (DeviceMemory memory = memory(configuration, jobs.size())) {
      return PhasedSimulation.play(jobs, starts, memory);
    }
  }

  private static DeviceMemory memory(Configuration configuration, int jobs) {
    long total = UseCase.DEVICE_MIB * UseCase.MIB;
    long context = UseCase.CONTEXT_MIB * UseCase.MIB;
    return configuration.policy() == null
        ? new UncheckedMemory(total, context, jobs)
        : new CoreMemory(total, context, configuration.policy(), OVERTAKE_LIMIT, jobs);
  }

  /** MUMmerGPU, which takes the longest, has a high priority where there are priorities. */
  private static List<PhasedJob> jobs() {
    List<PhasedJob> jobs = new ArrayList<>();
    for (int instance = 1; instance <= INSTANCES; instance++) {
      for (UseCase program : UseCase.ALL) {
        int priority = program.name().equals("mummergpu") ? HIGH : NORMAL;
        long submitNs = SlurmTimes.scaledNs(SlurmTimes.BETWEEN_STARTS_S * jobs.size());
        jobs.add(program.job(instance, submitNs, priority, KERNEL_S));
      }
    }
    return jobs;
  }
}

package org.schedgpu.agent.limit;

import java.util.SortedMap;
import java.util.TreeMap;
import org.schedgpu.agent.overrun.Overruns;
import org.schedgpu.jna.JobKind;
import org.schedgpu.jna.JobSpec;
import org.schedgpu.jna.RegionSnapshot;
import org.schedgpu.jna.RegionSnapshot.Device;
import org.schedgpu.jna.RegionSnapshot.Job;

/**
 * The driver's limit for a job on each device: what the rules let it hold, one more context for
 * each of its contexts, because some are larger than usual, and the tolerance of {@link Overruns}.
 * schedGPU's own limit is lower; the driver's is for programs that go around it.
 */
final class DriverLimits {
  private DriverLimits() {}

  /**
   * By device; empty for a job that may have more than a budget.
   *
   * @param spec the job as the root side decided it
   */
  static SortedMap<Integer, Long> of(RegionSnapshot snapshot, Job job, JobSpec spec) {
    SortedMap<Integer, Long> limits = new TreeMap<>();
    if (job.kind() != JobKind.SLURM || spec.overflowWaits()) {
      return limits;
    }
    for (Device device : snapshot.devices()) {
      long budget = job.budgetBytes().getOrDefault(device.index(), 0L);
      if (budget > 0) {
        limits.put(device.index(), limit(device, budget, contexts(snapshot, job, device)));
      }
    }
    return limits;
  }

  private static long limit(Device device, long budget, long contexts) {
    long contextBytes = contexts * device.contextBytes();
    long held = budget + contextBytes;
    return Math.min(device.totalBytes(), held + contextBytes + Overruns.tolerated(held));
  }

  private static long contexts(RegionSnapshot snapshot, Job job, Device device) {
    long there =
        snapshot.clients().stream()
            .filter(client -> client.job().filter(record -> record == job.record()).isPresent())
            .filter(client -> client.contextBytes().getOrDefault(device.index(), 0L) > 0)
            .count();
    return Math.max(job.processes(), there);
  }
}

package org.schedgpu.simulator.engine;

import java.util.Locale;
import org.schedgpu.jna.Policy;
import org.schedgpu.simulator.job.Job;

/**
 * A way to allocate GPUs.
 *
 * @param scheduler how the cluster allocates devices
 * @param perGpu shares of each device for {@link Scheduler#SHARES}, else 0
 * @param overbookPercent allocated memory of a device, in percent of what one job can get, for
 *     {@link Scheduler#MEMORY}, else 0
 * @param unitBytes memory of one of Slurm's shards, for {@link Scheduler#MEMORY}, else 1
 * @param policy of the nodes; null for {@link Scheduler#EXCLUSIVE}
 */
public record Scenario(
    Scheduler scheduler, int perGpu, int overbookPercent, long unitBytes, Policy policy) {
  /** How the cluster allocates devices. */
  public enum Scheduler {
    /** One job on a device. */
    EXCLUSIVE,
    /** At most this number of jobs on a device. */
    SHARES,
    /** Jobs on a device as their memory allows, which Slurm counts in shards. */
    MEMORY
  }

  public static Scenario exclusive() {
    return new Scenario(Scheduler.EXCLUSIVE, 0, 0, 1, null);
  }

  public static Scenario shares(int perGpu, Policy policy) {
    return new Scenario(Scheduler.SHARES, perGpu, 0, 1, policy);
  }

  public static Scenario memory(int overbookPercent, long unitBytes, Policy policy) {
    return new Scenario(Scheduler.MEMORY, 0, overbookPercent, unitBytes, policy);
  }

  /** The memory that the cluster's scheduler allocates to a job on each of its devices. */
  long allocatedBytes(Job job) {
    return (job.deviceBytes() + unitBytes - 1) / unitBytes * unitBytes;
  }

  public boolean isExclusive() {
    return scheduler == Scheduler.EXCLUSIVE;
  }

  /** The name in tables. */
  public String name() {
    String policyName = policy == null ? "" : policy.text();
    return switch (scheduler) {
      case EXCLUSIVE -> "exclusive";
      case SHARES -> "shares " + perGpu + " " + policyName;
      case MEMORY ->
          String.format(Locale.ROOT, "memory x%.2f %s", overbookPercent / 100.0, policyName);
    };
  }
}

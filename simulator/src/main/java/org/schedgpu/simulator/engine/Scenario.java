package org.schedgpu.simulator.engine;

import java.util.Locale;
import org.schedgpu.jna.Policy;

/**
 * A way to allocate GPUs.
 *
 * @param scheduler how the cluster allocates devices
 * @param perGpu shares of each device for {@link Scheduler#SHARES}, else 0
 * @param overbookPercent allocated memory of a device, in percent of its size, for {@link
 *     Scheduler#MEMORY}, else 0
 * @param policy of the nodes; null for {@link Scheduler#EXCLUSIVE}
 */
public record Scenario(Scheduler scheduler, int perGpu, int overbookPercent, Policy policy) {
  /** How the cluster allocates devices. */
  public enum Scheduler {
    /** One job on a device. */
    EXCLUSIVE,
    /** At most this number of jobs on a device. */
    SHARES,
    /** Jobs on a device as their memory allows. */
    MEMORY
  }

  public static Scenario exclusive() {
    return new Scenario(Scheduler.EXCLUSIVE, 0, 0, null);
  }

  public static Scenario shares(int perGpu, Policy policy) {
    return new Scenario(Scheduler.SHARES, perGpu, 0, policy);
  }

  public static Scenario memory(int overbookPercent, Policy policy) {
    return new Scenario(Scheduler.MEMORY, 0, overbookPercent, policy);
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

package org.schedgpu.agent.overrun;

import static java.util.stream.Collectors.toSet;

import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.schedgpu.jna.RegionSnapshot;
import org.schedgpu.jna.RegionSnapshot.Job;

/** What NVML sees of the devices' memory, compared with the region. */
public final class GpuUse {
  /** Nothing is known. */
  public static final GpuUse UNKNOWN = new GpuUse(List.of(), List.of());

  private final List<JobUse> jobs;
  private final List<DeviceUse> devices;
  private final Map<JobId, SortedMap<Integer, JobUse>> byJob = new HashMap<>();

  /**
   * @param jobs one entry for each pair of job and device where the job has or uses memory
   * @param devices by index
   */
  GpuUse(List<JobUse> jobs, List<DeviceUse> devices) {
    this.jobs = jobs;
    this.devices = devices;
    for (JobUse use : jobs) {
      byJob
          .computeIfAbsent(JobId.of(use.job()), job -> new TreeMap<>())
          .putIfAbsent(use.device(), use);
    }
  }

  /** One entry for each pair of job and device where the job has or uses memory. */
  List<JobUse> jobs() {
    return jobs;
  }

  /** By index. */
  List<DeviceUse> devices() {
    return devices;
  }

  /**
   * A job on a device. Empty numbers: NVML does not report them.
   *
   * @param seenBytes used by its processes
   * @param heldBytes held or reserved by the job
   * @param overrunBytes beyond that; 0 if it is within the tolerance
   * @param processes of the job on the device
   * @param unscheduled those of them that are not attached to the region, although the job is
   *     scheduled
   */
  public record JobUse(
      Job job,
      int device,
      OptionalLong seenBytes,
      long heldBytes,
      OptionalLong overrunBytes,
      List<GpuUser> processes,
      List<GpuUser> unscheduled) {
    boolean overruns() {
      return overrunBytes.orElse(0) > 0;
    }

    /** The processes that never asked; if there are none, those that asked. */
    List<GpuUser> suspects() {
      List<GpuUser> silent = processes.stream().filter(user -> !user.asks()).toList();
      return silent.isEmpty() ? processes : silent;
    }

    private JobUse withWholeBudget() {
      long more = job.budgetBytes().getOrDefault(device, 0L) - heldBytes;
      return unscheduled.isEmpty() || job.lane().isPresent() || more <= overrunBytes.orElse(0)
          ? this
          : new JobUse(
              job, device, seenBytes, heldBytes, OptionalLong.of(more), processes, unscheduled);
    }

    private JobUse least(JobUse other) {
      Set<Integer> before = other.unscheduled.stream().map(GpuUser::pid).collect(toSet());
      return new JobUse(
          job,
          device,
          seenBytes,
          heldBytes,
          less(overrunBytes, other.overrunBytes),
          processes,
          unscheduled.stream().filter(user -> before.contains(user.pid())).toList());
    }
  }

  /**
   * A device. Empty numbers: NVML does not report them.
   *
   * @param foreignBytes in use by processes of no job
   * @param unexplainedBytes in use by no process that NVML names
   */
  public record DeviceUse(
      int device, OptionalLong foreignBytes, List<GpuUser> foreign, OptionalLong unexplainedBytes) {
    private DeviceUse least(DeviceUse other) {
      return new DeviceUse(
          device,
          less(foreignBytes, other.foreignBytes),
          foreign,
          less(unexplainedBytes, other.unexplainedBytes));
    }
  }

  /** True if there is unreserved memory, or an unscheduled program. */
  boolean showsSomething() {
    return jobs.stream().anyMatch(use -> use.overruns() || !use.unscheduled().isEmpty())
        || devices.stream()
            .anyMatch(d -> d.foreignBytes().orElse(0) > 0 || d.unexplainedBytes().orElse(0) > 0);
  }

  /**
   * As if each job with an unscheduled program used its whole budget: nobody else may be granted
   * what the program may take. Not where a request of the job waits, because it would wait for the
   * job's own charge; nor for lane jobs, which have their budget in turns.
   */
  GpuUse withWholeBudgets(RegionSnapshot now) {
    return new GpuUse(
        jobs.stream().map(use -> waits(now, use) ? use : use.withWholeBudget()).toList(), devices);
  }

  private static boolean waits(RegionSnapshot now, JobUse use) {
    return now.waiters().stream()
        .filter(waiter -> !waiter.granted() && waiter.devices().contains(use.device()))
        .anyMatch(waiter -> waiter.job() == use.job().record());
  }

  /** What a job has or uses, by device. */
  public SortedMap<Integer, JobUse> of(Job job) {
    return byJob.getOrDefault(JobId.of(job), Collections.emptySortedMap());
  }

  /** What a job has or uses on a device; empty if it neither has nor uses anything. */
  public Optional<JobUse> of(Job job, int device) {
    return Optional.ofNullable(of(job).get(device));
  }

  /** For some jobs alone; for programs of no job only their sum. */
  public GpuUse of(List<Job> some) {
    Set<String> names = some.stream().map(Job::reference).collect(toSet());
    return new GpuUse(
        jobs.stream().filter(use -> names.contains(use.job().reference())).toList(),
        devices.stream()
            .map(
                use ->
                    new DeviceUse(
                        use.device(), use.foreignBytes(), List.of(), use.unexplainedBytes()))
            .toList());
  }

  /**
   * The memory of a device that no job uses; empty if the region has no such device, or nothing is
   * known.
   */
  public Optional<DeviceUse> of(int device) {
    return devices.stream().filter(use -> use.device() == device).findFirst();
  }

  /**
   * What both this sample and an earlier one show. While a process attaches, allocates or frees,
   * NVML and the region differ for a moment; the second sample excludes that.
   */
  GpuUse confirming(GpuUse earlier) {
    return new GpuUse(
        jobs.stream()
            .map(use -> earlier.of(use.job(), use.device()).map(use::least).orElse(use))
            .toList(),
        devices.stream().map(use -> earlier.of(use.device()).map(use::least).orElse(use)).toList());
  }

  private static OptionalLong less(OptionalLong a, OptionalLong b) {
    return a.isEmpty() || b.isEmpty()
        ? OptionalLong.empty()
        : OptionalLong.of(Math.min(a.getAsLong(), b.getAsLong()));
  }
}

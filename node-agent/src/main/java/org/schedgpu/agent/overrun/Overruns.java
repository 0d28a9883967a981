package org.schedgpu.agent.overrun;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import org.schedgpu.agent.overrun.GpuUse.DeviceUse;
import org.schedgpu.agent.overrun.GpuUse.JobUse;
import org.schedgpu.agent.region.Shares;
import org.schedgpu.jna.JobKind;
import org.schedgpu.jna.RegionSnapshot;
import org.schedgpu.jna.RegionSnapshot.Device;
import org.schedgpu.jna.RegionSnapshot.Job;

/**
 * Computes unreserved memory from two snapshots of the region and NVML's report between them. It is
 * a pure function. What a job held in either snapshot counts as held, so a reservation or release
 * in between causes no false report.
 */
public final class Overruns {
  /**
   * An overrun below this and below {@link #TOLERATED_PART} of what the job holds is not reported.
   * The use of a process is known only approximately: the driver rounds allocations up to pages of
   * 2 MiB, and the size of a context depends on the program's kernels.
   */
  static final long TOLERATED_BYTES = 16L << 20;

  static final long TOLERATED_PART = 50;

  /** Upper bound of the tolerated inaccuracy in bytes, however much memory the job holds. */
  static final long MAX_TOLERATED_BYTES = 256L << 20;

  /**
   * NVML's report on a device.
   *
   * @param users empty: not reported
   * @param usedBytes of all, without what the driver keeps; empty: not reported
   */
  public record Seen(Optional<List<GpuUser>> users, OptionalLong usedBytes) {
    /** NVML does not know the device. */
    public static final Seen NOTHING = new Seen(Optional.empty(), OptionalLong.empty());
  }

  private final Holdings before;
  private final Holdings after;
  private final RegionSnapshot now;
  private final Map<Integer, Seen> seen;

  /** While records of processes are lost, a process may look as if it had not attached. */
  private final boolean lostRecords;

  /** By device and job. */
  private final Map<Integer, Map<JobId, List<GpuUser>>> users = new HashMap<>();

  /** Everything that the core counts for the jobs of a snapshot, without their overruns. */
  private static final class Holdings {
    private final Map<JobId, List<Job>> jobs = new HashMap<>();
    private final Shares shares;

    Holdings(RegionSnapshot snapshot) {
      shares = new Shares(snapshot);
      snapshot
          .jobs()
          .forEach(job -> jobs.computeIfAbsent(JobId.of(job), j -> new ArrayList<>(1)).add(job));
    }

    long of(JobId job, int device) {
      long sum = 0;
      for (Job one : jobs.getOrDefault(job, List.of())) {
        sum += shares.allowedBytes(one, device) + shares.grantedBytes(one, device);
      }
      return sum;
    }
  }

  private Overruns(Holdings before, Holdings after, RegionSnapshot now, Map<Integer, Seen> seen) {
    this.before = before;
    this.after = after;
    this.now = now;
    this.seen = seen;
    this.lostRecords = now.jobs().stream().anyMatch(job -> job.kind() == JobKind.UNKNOWN);
    seen.forEach(
        (device, here) ->
            users.put(
                device,
                here.users().orElse(List.of()).stream()
                    .filter(user -> user.job().isPresent())
                    .collect(Collectors.groupingBy(user -> JobId.of(user.job().get())))));
  }

  /**
   * The use of all jobs and devices of the later snapshot.
   *
   * @param seen by index of the device; NVML does not know a device without an entry
   */
  public static GpuUse of(RegionSnapshot before, RegionSnapshot after, Map<Integer, Seen> seen) {
    return new Overruns(new Holdings(before), new Holdings(after), after, seen).all();
  }

  /**
   * The same from one snapshot. For a job that held more before, the result may be too high, never
   * too low.
   */
  static GpuUse of(RegionSnapshot now, Map<Integer, Seen> seen) {
    Holdings holdings = new Holdings(now);
    return new Overruns(holdings, holdings, now, seen).all();
  }

  private GpuUse all() {
    List<JobUse> jobs = new ArrayList<>();
    for (Job job : now.jobs()) {
      JobId id = JobId.of(job);
      for (Device device : now.devices()) {
        job(job, id, device.index()).ifPresent(jobs::add);
      }
    }
    return new GpuUse(List.copyOf(jobs), now.devices().stream().map(this::device).toList());
  }

  private Seen on(int device) {
    return seen.getOrDefault(device, Seen.NOTHING);
  }

  /** A device that the job does not have matters only if the job uses it all the same. */
  private Optional<JobUse> job(Job job, JobId id, int device) {
    List<GpuUser> its = users.getOrDefault(device, Map.of()).getOrDefault(id, List.of());
    if (!job.budgetBytes().containsKey(device) && its.isEmpty()) {
      return Optional.empty();
    }
    OptionalLong used = on(device).users().isPresent() ? sum(its) : OptionalLong.empty();
    long held = Math.max(before.of(id, device), after.of(id, device));
    List<GpuUser> unscheduled = lostRecords ? List.of() : unscheduled(its);
    return Optional.of(new JobUse(job, device, used, held, beyond(used, held), its, unscheduled));
  }

  private static List<GpuUser> unscheduled(List<GpuUser> users) {
    return users.stream().filter(GpuUser::isUnscheduled).toList();
  }

  private static OptionalLong beyond(OptionalLong used, long held) {
    if (used.isEmpty()) {
      return used;
    }
    long more = used.getAsLong() - held;
    return OptionalLong.of(more > tolerated(held) ? more : 0);
  }

  /**
   * The tolerance in bytes.
   *
   * @param held bytes that the job holds, 0 or more
   */
  public static long tolerated(long held) {
    return Math.min(TOLERATED_BYTES + held / TOLERATED_PART, MAX_TOLERATED_BYTES);
  }

  private DeviceUse device(Device device) {
    Seen here = on(device.index());
    List<GpuUser> foreign =
        here.users().orElse(List.of()).stream()
            .filter(user -> user.job().isEmpty())
            .sorted(Comparator.comparingLong((GpuUser u) -> u.usedBytes().orElse(0)).reversed())
            .toList();
    OptionalLong foreignBytes =
        here.users().isEmpty() ? OptionalLong.empty() : less(sum(foreign), lost(device.index()));
    return new DeviceUse(device.index(), foreignBytes, foreign, unexplained(device, here));
  }

  /** Memory reserved for processes whose records were lost. They look as if they had no job. */
  private long lost(int device) {
    return now.jobs().stream()
        .filter(job -> job.kind() == JobKind.UNKNOWN)
        .mapToLong(job -> after.of(JobId.of(job), device))
        .sum();
  }

  private static OptionalLong unexplained(Device device, Seen here) {
    OptionalLong named = here.users().map(Overruns::sum).orElse(OptionalLong.empty());
    if (named.isEmpty() || here.usedBytes().isEmpty()) {
      return OptionalLong.empty();
    }
    long rest = here.usedBytes().getAsLong() - named.getAsLong();
    return OptionalLong.of(rest > tolerated(device.totalBytes()) ? rest : 0);
  }

  private static OptionalLong less(OptionalLong bytes, long known) {
    return bytes.isEmpty() ? bytes : OptionalLong.of(Math.max(0, bytes.getAsLong() - known));
  }

  /** One unknown value makes the sum unknown. */
  private static OptionalLong sum(List<GpuUser> users) {
    return users.stream().allMatch(user -> user.usedBytes().isPresent())
        ? OptionalLong.of(users.stream().mapToLong(user -> user.usedBytes().getAsLong()).sum())
        : OptionalLong.empty();
  }
}

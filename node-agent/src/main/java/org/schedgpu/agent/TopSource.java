package org.schedgpu.agent;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.IntPredicate;
import java.util.function.Supplier;
import org.schedgpu.agent.top.ExpectedEnd;
import org.schedgpu.agent.top.ExpectedEnds;
import org.schedgpu.agent.top.QueueFuture;
import org.schedgpu.agent.top.Reporter;
import org.schedgpu.agent.top.TopReport;
import org.schedgpu.jna.JobKind;
import org.schedgpu.jna.Posix;
import org.schedgpu.jna.RegionLayout;
import org.schedgpu.jna.RegionSnapshot;
import org.schedgpu.jna.RegionSnapshot.Job;
import org.schedgpu.jna.SchedGpu;
import org.schedgpu.jna.SchedGpuException;

/**
 * Reads what {@code schedgpu top} shows. The region is opened each time: it may be made anew, and
 * must not be kept in use.
 */
final class TopSource implements AutoCloseable {
  private static final DateTimeFormatter CLOCK = DateTimeFormatter.ofPattern("HH:mm:ss");

  private final Supplier<SchedGpu> open;
  private final IntPredicate maySee;
  private final JobDurations durations;
  private final SlurmLimits limits;
  private final NvmlLook nvml;
  private final Map<Integer, String> names = new HashMap<>();

  /**
   * @param open the region of the node
   * @param maySee whether the jobs of a user may be shown one by one
   */
  TopSource(
      Supplier<SchedGpu> open, IntPredicate maySee, JobDurations durations, SlurmLimits limits) {
    this.durations = durations;
    this.open = open;
    this.maySee = maySee;
    this.limits = limits;
    this.nvml = new NvmlLook(System.getenv("SCHEDGPU_JOB") != null);
  }

  /** As it is now; throws what stands in the way. */
  TopReport read() {
    byte[] bytes;
    try (SchedGpu region = open.get()) {
      bytes = region.snapshotBytes();
    }
    RegionSnapshot snapshot = RegionSnapshot.parse(bytes, RegionLayout.ofLibrary());
    long nowNs = RegionSnapshot.nowNs();
    return Reporter.of(
        snapshot,
        new Reporter.Around(node(), clock(), nowNs, this::userName, maySee),
        () -> QueueFuture.of(bytes),
        ends(snapshot, nowNs),
        nvml.look());
  }

  /** As it is now, or why there is nothing: it may pass. */
  TopReport readOrSay() {
    try {
      return read();
    } catch (SchedGpuException | AgentException problem) {
      return TopReport.nothing(node(), clock(), problem.getMessage());
    }
  }

  /** What jobs of the same user and name did; else Slurm's time limit. */
  private ExpectedEnds ends(RegionSnapshot snapshot, long nowNs) {
    ExpectedEnds before = durations.of(snapshot, nowNs).ends();
    limits.ask(slurmJobs(snapshot), nowNs);
    return (job, ranNs) -> {
      ExpectedEnd likely = before.of(job, ranNs);
      OptionalLong limit =
          job.kind() == JobKind.SLURM ? limits.leftNs(job.id(), nowNs) : OptionalLong.empty();
      return limit.isEmpty() ? likely : likely.atMost(limit.getAsLong());
    };
  }

  /** Only while somebody waits: else nobody asks when they end. */
  private static List<Long> slurmJobs(RegionSnapshot snapshot) {
    return snapshot.waiters().stream().allMatch(RegionSnapshot.Waiter::granted)
        ? List.of()
        : snapshot.jobs().stream()
            .filter(job -> job.kind() == JobKind.SLURM)
            .map(Job::id)
            .sorted()
            .toList();
  }

  private static String clock() {
    return LocalTime.now(ZoneId.systemDefault()).format(CLOCK);
  }

  private static String node() {
    String slurm = System.getenv("SLURMD_NODENAME");
    if (slurm != null && !slurm.isEmpty()) {
      return slurm;
    }
    try {
      return InetAddress.getLocalHost().getHostName().replaceFirst("\\..*", "");
    } catch (UnknownHostException nameless) {
      return "this node";
    }
  }

  /** Login name, or the number of a user that has none. */
  private String userName(int uid) {
    return names.computeIfAbsent(
        uid, id -> Posix.userName(id).orElse(Integer.toUnsignedString(id)));
  }

  @Override
  public void close() {
    nvml.close();
  }
}

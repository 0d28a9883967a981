package org.schedgpu.agent.top;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.schedgpu.agent.forecast.ExpectedEnd;
import org.schedgpu.agent.forecast.ExpectedEnds;
import org.schedgpu.agent.forecast.JobDurations;
import org.schedgpu.agent.forecast.QueueFuture;
import org.schedgpu.agent.overrun.UnscheduledFiles;
import org.schedgpu.agent.process.HostProcesses;
import org.schedgpu.agent.process.StoppedJobs;
import org.schedgpu.agent.query.Principal;
import org.schedgpu.agent.slurm.SlurmLimits;
import org.schedgpu.agent.text.UserNames;
import org.schedgpu.jna.JobKind;
import org.schedgpu.jna.RegionCopy;
import org.schedgpu.jna.RegionSnapshot;
import org.schedgpu.jna.RegionSnapshot.Job;
import org.schedgpu.jna.SchedGpu;

/**
 * Makes the content of {@code schedgpu top} repeatedly, and keeps expensive answers for a while.
 * Used by one thread.
 */
public final class TopSource implements AutoCloseable {
  private static final DateTimeFormatter CLOCK = DateTimeFormatter.ofPattern("HH:mm:ss");
  private static final String SQUEUE = "squeue";

  private final JobDurations durations;
  private final SlurmLimits limits = new SlurmLimits(SQUEUE);
  private final UserNames names = new UserNames();
  private NvmlReader nvml;

  /**
   * @param history file of the history; empty if this user may not read it
   */
  public TopSource(Optional<Path> history) {
    this.durations = new JobDurations(history);
  }

  /**
   * The present report for a principal.
   *
   * @param runDir of the region
   */
  public TopReport read(SchedGpu region, Path runDir, Principal viewer) {
    try (RegionCopy picture = region.picture()) {
      RegionSnapshot snapshot = picture.snapshot();
      long nowNs = RegionSnapshot.nowNs();
      return Reporter.of(
          snapshot,
          new Reporter.Around(
              node(),
              clock(),
              nowNs,
              names,
              viewer::maySee,
              StoppedJobs.of(snapshot, new HostProcesses()),
              UnscheduledFiles.byJob(runDir)),
          () -> QueueFuture.of(picture),
          ends(snapshot, nowNs),
          nvml().look());
    }
  }

  /** Opened when first needed. */
  private NvmlReader nvml() {
    if (nvml == null) {
      nvml = new NvmlReader(System.getenv("SCHEDGPU_JOB") != null);
    }
    return nvml;
  }

  /** From jobs of the same user and name; else Slurm's time limit. */
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

  /** Only while a request waits, because only forecasts need it. */
  private static List<Long> slurmJobs(RegionSnapshot snapshot) {
    return snapshot.waiters().stream().allMatch(RegionSnapshot.Waiter::granted)
        ? List.of()
        : snapshot.jobs().stream()
            .filter(job -> job.kind() == JobKind.SLURM)
            .map(Job::id)
            .sorted()
            .toList();
  }

  /** Time of day: {@code 14:05:09}. */
  public static String clock() {
    return LocalTime.now(ZoneId.systemDefault()).format(CLOCK);
  }

  /** Slurm's name of this node, else the host's name up to the first dot. */
  public static String node() {
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

  @Override
  public void close() {
    if (nvml != null) {
      nvml.close();
    }
  }
}

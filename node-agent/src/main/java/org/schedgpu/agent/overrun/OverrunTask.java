package org.schedgpu.agent.overrun;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.schedgpu.agent.conf.Conf;
import org.schedgpu.agent.conf.OverrunAction;
import org.schedgpu.agent.conf.UnscheduledAction;
import org.schedgpu.agent.device.NvmlAccess;
import org.schedgpu.agent.history.UnscheduledJobs;
import org.schedgpu.agent.overrun.GpuUse.JobUse;
import org.schedgpu.agent.process.HostProcesses;
import org.schedgpu.agent.region.RegionAccess;
import org.schedgpu.agent.task.AgentCounts;
import org.schedgpu.agent.task.PeriodicTask;
import org.schedgpu.jna.Nvml;
import org.schedgpu.jna.Nvml.NvmlException;
import org.schedgpu.jna.RegionSnapshot;
import org.schedgpu.jna.SchedGpu;
import org.schedgpu.jna.SchedGpuException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Charges unreserved memory, writes down what runs unscheduled, and does what OverrunAction and
 * Unscheduled ask for.
 */
public final class OverrunTask implements PeriodicTask {
  private static final Logger LOG = LoggerFactory.getLogger(OverrunTask.class);

  private final RegionAccess access;
  private final NvmlAccess nvml;
  private final Supplier<Conf> conf;
  private final AgentCounts counts;
  private final ProgramEnder ender;
  private final HostProcesses processes;
  private final UnscheduledWatch unscheduled;
  private Set<String> overruns = new HashSet<>();

  /**
   * For a region.
   *
   * @param access of the thread that runs this task, as nvml
   * @param conf gives the current configuration
   * @param counts counts overruns and ended programs
   * @param history gets what runs unscheduled, in the same thread
   */
  public OverrunTask(
      RegionAccess access,
      NvmlAccess nvml,
      Supplier<Conf> conf,
      AgentCounts counts,
      UnscheduledJobs history) {
    this.access = access;
    this.nvml = nvml;
    this.conf = conf;
    this.counts = counts;
    this.processes = HostProcesses.ofNode(access.runDir());
    this.unscheduled =
        new UnscheduledWatch(access.runDir(), processes::folder, counts, history::see);
    this.ender = new ProgramEnder(counts::programEnded);
  }

  @Override
  public String name() {
    return "overrun";
  }

  @Override
  public long run(long nowNs) {
    Conf now = conf.get();
    nvml.nvml(nowNs)
        .ifPresent(
            library -> access.region().ifPresent(region -> look(region, library, now, nowNs)));
    return Math.min(now.overrunEveryNs(), ender.nextNs(nowNs));
  }

  private void look(SchedGpu region, Nvml library, Conf now, long nowNs) {
    try {
      GpuUse use = UsageScan.atProcesses(library).ofNode(access.runDir()).at(access::liveSnapshot);
      RegionSnapshot snapshot = access.liveSnapshot();
      boolean gate = now.unscheduled() == UnscheduledAction.GATE;
      charge(region, snapshot, gate ? use.withWholeBudgets(snapshot) : use);
      observe(use, now.overrunAction() != OverrunAction.LEAVE);
      unscheduled.look(use, snapshot, now.unscheduled(), now.brokered());
      end(use, snapshot, now, nowNs);
    } catch (SchedGpuException problem) {
      access.failed(problem);
      throw problem;
    } catch (NvmlException problem) {
      nvml.failed(nowNs);
      throw problem;
    }
  }

  private static void charge(SchedGpu region, RegionSnapshot snapshot, GpuUse use) {
    List<String> changes = OverrunCharger.charge(new RegionCharges(region), snapshot, use);
    changes.forEach(line -> LOG.info("overrun {}", line));
  }

  private void end(GpuUse use, RegionSnapshot snapshot, Conf now, long nowNs) {
    boolean overruns = now.overrunAction() == OverrunAction.END;
    boolean refused = now.unscheduled() == UnscheduledAction.REFUSE;
    if (overruns || refused) {
      ProgramEnder.Ends ends = new ProgramEnder.Ends(overruns, refused);
      ender.round(use, snapshot, ends, now.overrunGraceNs(), nowNs);
    } else {
      ender.forget();
    }
  }

  /** Counts and reports each program of each job once, however much it takes later. */
  private void observe(GpuUse use, boolean warns) {
    Set<String> now = new HashSet<>();
    for (JobUse job : use.jobs()) {
      if (!job.overruns()) {
        continue;
      }
      String key = job.job().reference() + " " + job.device();
      if (now.add(key) && !overruns.contains(key)) {
        counts.overrun();
        if (warns) {
          OverrunFindings.of(new GpuUse(List.of(job), List.of()), processes::folder)
              .forEach(finding -> LOG.warn("overrun {}: {}", finding.text(), finding.todo()));
        }
      }
    }
    overruns = now;
  }

  @Override
  public void close() {
    ender.forget();
  }
}

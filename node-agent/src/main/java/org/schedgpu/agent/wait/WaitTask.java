package org.schedgpu.agent.wait;

import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.schedgpu.agent.conf.Conf;
import org.schedgpu.agent.region.RegionAccess;
import org.schedgpu.agent.slurm.SlurmControl;
import org.schedgpu.agent.task.PeriodicTask;
import org.schedgpu.agent.wait.WaitLimits.Settings;
import org.schedgpu.jna.RegionSnapshot;
import org.schedgpu.jna.SchedGpuException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Acts in Slurm for jobs that wait for memory: CompensateWait, WaitLimit and WaitLimitNodes. */
public final class WaitTask implements PeriodicTask {
  private static final Logger LOG = LoggerFactory.getLogger(WaitTask.class);
  private static final long LOOK_NS = TimeUnit.SECONDS.toNanos(5);
  private static final String REQUEUED = "requeued";

  private final RegionAccess access;
  private final Supplier<Conf> conf;
  private final SlurmControl slurm;
  private final String node;
  private final Attempts attempts = new Attempts(LOG);
  private Path file;
  private Exclusions exclusions;
  private TimeLimits limits;
  private WaitLimits waits;

  /**
   * For a region.
   *
   * @param access of the thread that runs this task
   * @param conf gives the current configuration
   * @param slurm asked by that thread, which waits for the answer
   * @param node its name in Slurm
   */
  public WaitTask(RegionAccess access, Supplier<Conf> conf, SlurmControl slurm, String node) {
    this.access = access;
    this.conf = conf;
    this.slurm = slurm;
    this.node = node;
  }

  @Override
  public String name() {
    return "wait";
  }

  @Override
  public long run(long nowNs) {
    Conf now = conf.get();
    open(now.historyFile().resolveSibling(REQUEUED), !now.brokered());
    Settings settings = new Settings(now.waitLimitNs(), now.waitLimitNodesNs(), now.waitAction());
    attempts.begin(nowNs);
    if (!exclusions.isEmpty()) {
      exclusions.look(attempts, nowNs, RegionSnapshot.nowNs());
    }
    if (now.compensatesWait() || settings.leastNs() < Long.MAX_VALUE) {
      access.region().ifPresent(region -> look(now, settings, nowNs));
    }
    return LOOK_NS;
  }

  private void open(Path wanted, boolean everybody) {
    if (!wanted.equals(file)) {
      file = wanted;
      limits = new TimeLimits(slurm, access.runDir(), everybody);
      exclusions = new Exclusions(slurm, node, file);
      waits = new WaitLimits(access::liveSnapshot, slurm, node, exclusions);
    }
  }

  private void look(Conf now, Settings settings, long nowNs) {
    try {
      RegionSnapshot snapshot = access.liveSnapshot();
      long clockNs = RegionSnapshot.nowNs();
      if (now.compensatesWait()) {
        limits.look(snapshot, clockNs, now.compensateMostNs(), attempts, nowNs);
      }
      waits.look(snapshot, clockNs, settings, attempts, nowNs);
    } catch (SchedGpuException problem) {
      access.failed(problem);
      throw problem;
    }
  }
}

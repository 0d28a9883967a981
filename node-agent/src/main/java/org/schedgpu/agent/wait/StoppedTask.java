package org.schedgpu.agent.wait;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.schedgpu.agent.process.HostProcesses;
import org.schedgpu.agent.process.StoppedJobs;
import org.schedgpu.agent.region.RegionAccess;
import org.schedgpu.agent.region.Shares;
import org.schedgpu.agent.task.PeriodicTask;
import org.schedgpu.jna.RegionSnapshot;
import org.schedgpu.jna.SchedGpu;
import org.schedgpu.jna.SchedGpuException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs, once for each stop, that jobs wait behind a stopped one. */
public final class StoppedTask implements PeriodicTask {
  private static final Logger LOG = LoggerFactory.getLogger(StoppedTask.class);
  private static final long LOOK_NS = TimeUnit.SECONDS.toNanos(10);

  private final RegionAccess access;
  private final HostProcesses processes;
  private Set<String> told = new HashSet<>();

  /**
   * For a region.
   *
   * @param access of the thread that runs this task
   * @param processes where stopped ones are looked for
   */
  public StoppedTask(RegionAccess access, HostProcesses processes) {
    this.access = access;
    this.processes = processes;
  }

  @Override
  public String name() {
    return "stopped";
  }

  @Override
  public long run(long nowNs) {
    access.region().ifPresent(this::look);
    return LOOK_NS;
  }

  private void look(SchedGpu region) {
    try {
      RegionSnapshot snapshot = region.liveSnapshot();
      Set<String> now = new HashSet<>();
      if (snapshot.waiters().stream().anyMatch(waiter -> !waiter.granted())) {
        Shares shares = new Shares(snapshot, StoppedJobs.of(snapshot, processes));
        for (StoppedHolders.Holder holder : StoppedHolders.of(snapshot, shares)) {
          now.add(holder.job().reference());
          if (!told.contains(holder.job().reference())) {
            LOG.warn(
                "stopped job={} uid={}: {}: {}",
                holder.job().reference(),
                holder.job().uid(),
                holder.text(),
                StoppedHolders.ADVICE);
          }
        }
      }
      told = now;
    } catch (SchedGpuException problem) {
      access.failed(problem);
      throw problem;
    }
  }
}

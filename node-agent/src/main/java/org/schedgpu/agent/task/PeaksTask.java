package org.schedgpu.agent.task;

import java.util.concurrent.TimeUnit;
import org.schedgpu.agent.region.RegionAccess;
import org.schedgpu.jna.SchedGpu;

/**
 * Updates the peak of each job periodically: if a job has several processes, their maxima are only
 * added up over a short time.
 */
public final class PeaksTask implements PeriodicTask {
  private static final long EVERY_NS = TimeUnit.SECONDS.toNanos(1);

  private final RegionAccess access;

  /**
   * For a region.
   *
   * @param access of the thread that runs this task
   */
  public PeaksTask(RegionAccess access) {
    this.access = access;
  }

  @Override
  public String name() {
    return "peaks";
  }

  @Override
  public long run(long nowNs) {
    access.use(SchedGpu::notePeaks);
    return EVERY_NS;
  }
}

package org.schedgpu.agent.task;

import org.schedgpu.agent.region.RegionAccess;
import org.schedgpu.jna.ErrorCode;
import org.schedgpu.jna.ReapResult;
import org.schedgpu.jna.SchedGpu;
import org.schedgpu.jna.SchedGpuException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reaps dead clients and logs the result, or the process that prevents it. Used by one thread. */
public final class Reaper implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Reaper.class);

  private final RegionAccess access;
  private final AgentCounts counts;
  private final StuckLock stuck = new StuckLock();
  private long changes;

  /**
   * For a region.
   *
   * @param access of the thread that uses this; closed with it
   * @param counts receives whether the lock is stuck
   */
  public Reaper(RegionAccess access, AgentCounts counts) {
    this.access = access;
    this.counts = counts;
  }

  RegionAccess access() {
    return access;
  }

  /** Returns true if the region was written, or its lock taken, since the last reap. */
  boolean isDue(SchedGpu region) {
    return region.changes() != changes;
  }

  void reap(SchedGpu region) {
    changes = -1; // odd: a region at rest never has such a number
    try {
      ReapResult reaped = region.reap();
      changes = region.changes();
      stuck.free();
      counts.lockStuck(false);
      tell(reaped);
    } catch (SchedGpuException problem) {
      access.failed(problem);
      if (problem.code() != ErrorCode.ELOCK) {
        throw problem;
      }
      counts.lockStuck(true);
      stuck.heldBy(region.lockHolder());
    }
  }

  private static void tell(ReapResult reaped) {
    if (reaped.clients() > 0 || reaped.jobs() > 0) {
      LOG.info(
          "reap processes={} jobs={} bytes={} served={}",
          reaped.clients(),
          reaped.jobs(),
          reaped.bytes(),
          reaped.granted());
    }
  }

  @Override
  public void close() {
    access.close();
  }
}

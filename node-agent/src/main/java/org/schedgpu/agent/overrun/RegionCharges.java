package org.schedgpu.agent.overrun;

import org.schedgpu.jna.JobKind;
import org.schedgpu.jna.SchedGpu;

/** The charges of a region. */
public final class RegionCharges implements OverrunCharger.Charges {
  private final SchedGpu region;

  /**
   * Writes into a region.
   *
   * @param region stays open while this is used; the caller closes it
   */
  public RegionCharges(SchedGpu region) {
    this.region = region;
  }

  @Override
  public boolean setOverrun(JobKind kind, long jobId, int device, long bytes) {
    return region.setOverrun(kind, jobId, device, bytes);
  }

  @Override
  public void setForeign(int device, long bytes) {
    region.setForeign(device, bytes);
  }
}

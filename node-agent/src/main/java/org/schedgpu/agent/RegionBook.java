package org.schedgpu.agent;

import org.schedgpu.jna.JobKind;
import org.schedgpu.jna.SchedGpu;

/** The charges of a region. */
final class RegionBook implements OverrunCharger.Book {
  private final SchedGpu region;

  RegionBook(SchedGpu region) {
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

package org.schedgpu.agent.status;

import org.schedgpu.jna.RegionCopy;
import org.schedgpu.jna.RegionSnapshot;
import org.schedgpu.jna.SchedGpu;

/** Pictures of a region, of which the last is kept until this is closed. Used by one thread. */
final class LastSnapshot implements AutoCloseable {
  private final SchedGpu region;
  private RegionCopy picture;

  LastSnapshot(SchedGpu region) {
    this.region = region;
  }

  /** Takes another one. */
  RegionSnapshot take() {
    close();
    picture = region.picture();
    return picture.snapshot();
  }

  /** The last one; if there is none yet, it is taken. */
  RegionCopy get() {
    if (picture == null) {
      take();
    }
    return picture;
  }

  @Override
  public void close() {
    if (picture != null) {
      picture.close();
      picture = null;
    }
  }
}

package org.schedgpu.agent.status;

import org.schedgpu.jna.RegionCopy;
import org.schedgpu.jna.RegionSnapshot;
import org.schedgpu.jna.SchedGpu;

/** Snapshots of a region; keeps the last one until it is closed. Used by one thread. */
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

  /** The last one; takes one if there is none yet. */
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

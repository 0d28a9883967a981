package org.schedgpu.agent.suggest;

import java.nio.file.Path;
import org.schedgpu.agent.region.RegionAccess;
import org.schedgpu.jna.SchedGpu;
import org.schedgpu.jna.SchedGpuException;

/** Asks the region for the sizes of the node's devices. */
public final class NodeSizes {
  private NodeSizes() {}

  /** Of the region of a run directory; of nothing if there is none to be read. */
  public static DeviceSizes of(Path runDir) {
    try (SchedGpu region = SchedGpu.open(runDir)) {
      return DeviceSizes.of(region.glance());
    } catch (SchedGpuException none) {
      return DeviceSizes.NONE;
    }
  }

  /** The same through a region that is kept open. */
  public static DeviceSizes of(RegionAccess access) {
    try {
      return access
          .region()
          .map(region -> DeviceSizes.of(region.glance()))
          .orElse(DeviceSizes.NONE);
    } catch (SchedGpuException unreadable) {
      access.failed(unreadable);
      return DeviceSizes.NONE;
    }
  }
}

package org.schedgpu.agent.suggest;

import java.nio.file.Path;
import org.schedgpu.agent.region.RegionAccess;
import org.schedgpu.jna.SchedGpu;
import org.schedgpu.jna.SchedGpuException;

/** Reads the sizes of the node's devices from the region. */
public final class NodeSizes {
  private NodeSizes() {}

  /** From the region of a run directory; unknown sizes if it cannot be read. */
  public static DeviceSizes of(Path runDir) {
    try (SchedGpu region = SchedGpu.open(runDir)) {
      return DeviceSizes.of(region.liveSnapshot());
    } catch (SchedGpuException none) {
      return DeviceSizes.NONE;
    }
  }

  /** The same through an open region. */
  public static DeviceSizes of(RegionAccess access) {
    try {
      return access
          .region()
          .map(region -> DeviceSizes.of(region.liveSnapshot()))
          .orElse(DeviceSizes.NONE);
    } catch (SchedGpuException unreadable) {
      access.failed(unreadable);
      return DeviceSizes.NONE;
    }
  }
}

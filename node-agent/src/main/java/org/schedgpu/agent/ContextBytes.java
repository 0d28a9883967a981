package org.schedgpu.agent;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.schedgpu.jna.RegionSnapshot;
import org.schedgpu.jna.SchedGpu;
import org.schedgpu.jna.SchedGpuException;

/** What a CUDA context takes of each device of the node. */
final class ContextBytes {
  private ContextBytes() {}

  /** Of the region of a run directory; empty if there is none to be read. */
  static Map<Integer, Long> of(Path runDir) {
    try (SchedGpu region = SchedGpu.open(runDir)) {
      return of(region.glance());
    } catch (SchedGpuException none) {
      return Map.of();
    }
  }

  /** The same through a region that is kept open. */
  static Map<Integer, Long> of(RegionAccess access) {
    try {
      return access.region().map(region -> of(region.glance())).orElse(Map.of());
    } catch (SchedGpuException unreadable) {
      access.failed(unreadable);
      return Map.of();
    }
  }

  static Map<Integer, Long> of(RegionSnapshot snapshot) {
    Map<Integer, Long> bytes = new HashMap<>();
    snapshot.devices().forEach(device -> bytes.put(device.index(), device.contextBytes()));
    return bytes;
  }
}

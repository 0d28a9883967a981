package org.schedgpu.agent.suggest;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.schedgpu.jna.RegionSnapshot;
import org.schedgpu.jna.RegionSnapshot.Device;

/**
 * What a suggestion needs to know of the devices of a node.
 *
 * @param contextBytes size of one CUDA context, by device
 * @param largestBudgetBytes the largest budget of a job with one process, by device
 */
public record DeviceSizes(Map<Integer, Long> contextBytes, Map<Integer, Long> largestBudgetBytes) {
  /** For a node of which nothing is known. */
  public static final DeviceSizes NONE = new DeviceSizes(Map.of(), Map.of());

  /** The devices in a snapshot of the region. */
  public static DeviceSizes of(RegionSnapshot snapshot) {
    return of(snapshot.devices());
  }

  /** Of these devices. */
  public static DeviceSizes of(List<Device> devices) {
    Map<Integer, Long> contexts = new HashMap<>();
    Map<Integer, Long> largest = new HashMap<>();
    for (Device device : devices) {
      contexts.put(device.index(), device.contextBytes());
      largest.put(device.index(), Math.max(0, device.usableBytes() - device.contextBytes()));
    }
    return new DeviceSizes(contexts, largest);
  }

  /** 0 if unknown. */
  public long context(int device) {
    return contextBytes.getOrDefault(device, 0L);
  }

  /** The largest possible value if unknown. */
  public long largestBudget(int device) {
    return largestBudgetBytes.getOrDefault(device, Long.MAX_VALUE);
  }
}

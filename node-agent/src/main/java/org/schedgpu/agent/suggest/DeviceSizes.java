package org.schedgpu.agent.suggest;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.schedgpu.jna.RegionSnapshot;
import org.schedgpu.jna.RegionSnapshot.Device;

/**
 * What a suggestion must know of the devices of a node.
 *
 * @param contextBytes that one CUDA context takes, by device
 * @param largestBudgetBytes that a job of one process can have, by device
 */
public record DeviceSizes(Map<Integer, Long> contextBytes, Map<Integer, Long> largestBudgetBytes) {
  /** Of a node of which nothing is known. */
  public static final DeviceSizes NONE = new DeviceSizes(Map.of(), Map.of());

  /** Of the devices in a picture of the region. */
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

  /** 0 where nothing is known. */
  public long context(int device) {
    return contextBytes.getOrDefault(device, 0L);
  }

  /** As much as there could be, where nothing is known. */
  public long largestBudget(int device) {
    return largestBudgetBytes.getOrDefault(device, Long.MAX_VALUE);
  }
}

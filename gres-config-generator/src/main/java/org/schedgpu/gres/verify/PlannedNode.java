package org.schedgpu.gres.verify;

import java.util.List;
import java.util.Optional;
import org.schedgpu.gres.live.GpuCounts;

/**
 * The expected state of a node.
 *
 * @param gres its GPUs as in slurm.conf: {@code gpu:k20m:12}
 * @param devices the devices behind them; empty if unknown
 */
public record PlannedNode(String name, String gres, List<PlannedDevice> devices) {

  /** Copies the list. */
  public PlannedNode {
    devices = List.copyOf(devices);
  }

  /**
   * A device and its virtual GPUs.
   *
   * @param file its device file, which only its jobs may open
   * @param virtual indexes on the node, as in SLURM_JOB_GPUS
   */
  public record PlannedDevice(String uuid, String file, List<Integer> virtual) {
    /** Copies the list. */
    public PlannedDevice {
      virtual = List.copyOf(virtual);
    }
  }

  /** True if the node has no other devices; it may keep others unchanged. */
  boolean isComplete() {
    return devices.stream().mapToInt(device -> device.virtual().size()).sum()
        == GpuCounts.total(gres);
  }

  /** The device behind a virtual GPU. */
  Optional<PlannedDevice> behind(int index) {
    return devices.stream().filter(device -> device.virtual().contains(index)).findFirst();
  }
}

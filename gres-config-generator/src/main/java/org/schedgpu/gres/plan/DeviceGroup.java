package org.schedgpu.gres.plan;

import java.util.List;
import java.util.Objects;
import org.schedgpu.gres.common.Check;
import org.schedgpu.gres.common.GresException;
import org.schedgpu.gres.facts.Device;

/**
 * Devices of a node that have the same type and number of shares. Immutable and thread-safe.
 *
 * @param gresType Slurm's Type; empty for no type, which is allowed only if the node has no other
 *     GPUs
 * @param devices the devices, in the order of their lines
 * @param sharesPerDevice n, virtual GPUs of each device, 1 to 256; 1 means whole devices
 * @param order which device fills first
 */
public record DeviceGroup(String gresType, List<Device> devices, int sharesPerDevice, Order order)
    implements GpuGroup {

  /**
   * @throws GresException if Slurm does not accept the type
   */
  public DeviceGroup {
    Check.gresTypeOrNone(gresType);
    devices = List.copyOf(devices);
    Objects.requireNonNull(order, "order");
  }

  /** A group of whole devices, each given to one job at a time. */
  public static DeviceGroup whole(String gresType, List<Device> devices) {
    return new DeviceGroup(gresType, devices, 1, Order.SPREAD);
  }

  /** m x n. */
  @Override
  public int count() {
    return devices.size() * sharesPerDevice;
  }

  /** True if several jobs can share a device. */
  public boolean isShared() {
    return sharesPerDevice > 1;
  }

  /**
   * The device behind a virtual GPU.
   *
   * @param position within the group, from 0
   */
  public Device device(int position) {
    return devices.get(order.devicePosition(position, devices.size(), sharesPerDevice));
  }

  /**
   * The memory of one share in bytes: an equal part of what one job can get on the smallest device.
   */
  public long shareBytes() {
    return Device.smallestUsableBytes(devices) / sharesPerDevice;
  }
}

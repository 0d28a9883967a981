package org.schedgpu.gres.plan;

import java.util.List;
import java.util.Objects;
import org.schedgpu.gres.common.Check;
import org.schedgpu.gres.common.GresException;
import org.schedgpu.gres.facts.Device;

/**
 * Devices of a node that are shared alike. Immutable, so safe for use by several threads.
 *
 * @param gresType Slurm's Type; empty: none, then they are alone on their node
 * @param devices their order is the order of the lines
 * @param sharesPerDevice n, virtual GPUs of each device, 1 to 256; with 1 the devices are whole
 * @param order which device fills first
 */
public record DeviceGroup(String gresType, List<Device> devices, int sharesPerDevice, Order order)
    implements GpuGroup {

  /**
   * @throws GresException if the type is no word that Slurm takes
   */
  public DeviceGroup {
    Check.gresTypeOrNone(gresType);
    devices = List.copyOf(devices);
    Objects.requireNonNull(order, "order");
  }

  /** Devices that Slurm gives to one job at a time. */
  public static DeviceGroup whole(String gresType, List<Device> devices) {
    return new DeviceGroup(gresType, devices, 1, Order.SPREAD);
  }

  /** m x n. */
  @Override
  public int count() {
    return devices.size() * sharesPerDevice;
  }

  /** Whether several jobs can be on a device. */
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

  /** An even part of what one job can get on the smallest device, in bytes. */
  public long shareBytes() {
    return Device.smallestUsableBytes(devices) / sharesPerDevice;
  }
}

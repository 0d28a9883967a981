package org.schedgpu.jna;

/**
 * One device as NVML and the configuration describe it (struct schedgpu_device_spec).
 *
 * @param index physical index, 0 to 15
 * @param totalBytes NVML's total
 * @param reservedBytes kept by the driver, plus the site's safety margin
 * @param contextBytes device memory of one process's CUDA context
 * @param uuid {@code GPU-...}
 * @param name what the vendor calls it
 */
public record DeviceSpec(
    int index, long totalBytes, long reservedBytes, long contextBytes, String uuid, String name) {
  /** The same device with this context size. */
  public DeviceSpec withContextBytes(long bytes) {
    return new DeviceSpec(index, totalBytes, reservedBytes, bytes, uuid, name);
  }
}

package org.schedgpu.agent.history;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.schedgpu.agent.device.NvmlAccess;
import org.schedgpu.jna.Nvml;
import org.schedgpu.jna.Nvml.NvmlException;

/** Adds NVML's numbers to samples. Without NVML the samples are stored without them. */
final class NvmlSamples {
  private final NvmlAccess access;

  NvmlSamples(NvmlAccess access) {
    this.access = access;
  }

  /** The samples, with NVML's numbers for the devices that it knows. */
  List<DeviceSample> added(List<DeviceSample> samples, long nowNs) {
    Optional<Nvml> nvml = access.nvml(nowNs);
    try {
      return nvml.isEmpty() ? samples : added(samples, nvml.get());
    } catch (NvmlException stale) {
      access.failed(nowNs);
      return samples;
    }
  }

  private static List<DeviceSample> added(List<DeviceSample> samples, Nvml library) {
    Map<String, Nvml.Device> devices = new HashMap<>();
    library.devices().forEach(device -> devices.put(device.uuid(), device));
    return samples.stream()
        .map(
            sample ->
                devices.containsKey(sample.uuid())
                    ? added(sample, devices.get(sample.uuid()))
                    : sample)
        .toList();
  }

  private static DeviceSample added(DeviceSample sample, Nvml.Device device) {
    return new DeviceSample(
        sample.timeNs(),
        sample.device(),
        sample.uuid(),
        sample.name(),
        sample.totalBytes(),
        sample.reservedBytes(),
        sample.inUseBytes(),
        OptionalLong.of(device.memory().usedBytes()),
        device.utilizationPercent(),
        sample.jobs(),
        sample.waiting(),
        sample.lanes(),
        sample.waitingTurns());
  }
}

package org.schedgpu.agent.top;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.schedgpu.jna.Nvml;
import org.schedgpu.jna.Nvml.NvmlException;

/** What NVML says of whole devices, kept open: to be asked every second. */
final class NvmlReader implements AutoCloseable {
  private final Optional<Nvml> nvml;
  private final boolean inJob;

  /**
   * @param inJob then the memory of devices is not asked for: the preload library would answer, and
   *     make this a process of the job
   */
  NvmlReader(boolean inJob) {
    this.nvml = Nvml.open().nvml();
    this.inJob = inJob;
  }

  /** By UUID; empty where NVML is not, or does not answer. */
  Map<String, NvmlUse> look() {
    Map<String, NvmlUse> uses = new HashMap<>();
    try {
      nvml.ifPresent(
          opened -> opened.devices().forEach(device -> uses.put(device.uuid(), use(device))));
    } catch (NvmlException lost) {
      return Map.of();
    }
    return uses;
  }

  private NvmlUse use(Nvml.Device device) {
    return new NvmlUse(
        inJob ? OptionalLong.empty() : OptionalLong.of(device.memory().usedBytes()),
        device.utilizationPercent());
  }

  @Override
  public void close() {
    try {
      nvml.ifPresent(Nvml::close);
    } catch (NvmlException lost) {
      // The driver is gone: there is nothing left to close.
    }
  }
}

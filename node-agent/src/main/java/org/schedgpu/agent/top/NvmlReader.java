package org.schedgpu.agent.top;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.schedgpu.jna.Nvml;
import org.schedgpu.jna.Nvml.NvmlException;

/** Asks an open NVML about whole devices, once a second. */
final class NvmlReader implements AutoCloseable {
  private final Optional<Nvml> nvml;
  private final boolean inJob;

  /**
   * @param inJob true: does not ask for the memory of devices, because the preload library would
   *     answer and make this a process of the job
   */
  NvmlReader(boolean inJob) {
    this.nvml = Nvml.open().nvml();
    this.inJob = inJob;
  }

  /** By UUID; empty if NVML is absent or does not answer. */
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
      // The driver was unloaded, so there is nothing left to close.
    }
  }
}

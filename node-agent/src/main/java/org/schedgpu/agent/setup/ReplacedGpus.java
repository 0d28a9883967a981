package org.schedgpu.agent.setup;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.schedgpu.agent.conf.DevicesConf;
import org.schedgpu.jna.DeviceSpec;
import org.schedgpu.jna.Nvml;
import org.schedgpu.jna.Nvml.NvmlException;

/**
 * Compares devices.conf with the GPUs that NVML sees. A job whose CUDA_VISIBLE_DEVICES names a GPU
 * that was replaced sees no device, and the next job of the queue neither.
 */
public final class ReplacedGpus {
  /** What to do. */
  public static final String TODO =
      "run schedgpu gres facts on this node, then plan and apply again";

  private static final String DEVICE_DIR = "/dev/nvidia";

  private ReplacedGpus() {}

  /**
   * The problem of this node; empty if there is none, no devices.conf, or no NVML to ask.
   *
   * @param devicesFile devices.conf
   */
  public static Optional<String> find(Path devicesFile, String node) {
    if (!Files.exists(devicesFile)) {
      return Optional.empty();
    }
    Optional<Nvml> opened = Nvml.open().nvml();
    if (opened.isEmpty()) {
      return Optional.empty();
    }
    try (Nvml nvml = opened.get()) {
      return find(devicesFile, node, files(nvml.devices()));
    } catch (NvmlException unknown) {
      return Optional.empty();
    }
  }

  /** Device files by UUID. */
  public static Map<String, String> files(List<Nvml.Device> devices) {
    Map<String, String> files = new LinkedHashMap<>();
    devices.forEach(device -> files.put(device.uuid(), DEVICE_DIR + device.minorNumber()));
    return files;
  }

  /**
   * As above.
   *
   * @param seen device files by UUID, of NVML; nothing is said without any
   */
  public static Optional<String> find(Path devicesFile, String node, Map<String, String> seen) {
    if (seen.isEmpty()) {
      return Optional.empty();
    }
    Map<String, String> written = DevicesConf.files(devicesFile, node);
    return DevicesConf.read(devicesFile, node).stream()
        .flatMap(device -> problem(device, written.get(device.uuid()), seen).stream())
        .findFirst()
        .map(what -> devicesFile + ": " + what);
  }

  private static Optional<String> problem(
      DeviceSpec device, String file, Map<String, String> seen) {
    String now = seen.get(device.uuid());
    if (now == null) {
      String other =
          seen.entrySet().stream()
              .filter(gpu -> gpu.getValue().equals(file))
              .map(gpu -> ", and %s is %s".formatted(file, gpu.getKey()))
              .findFirst()
              .orElse("");
      return Optional.of(
          "device %d is %s, which NVML does not see%s: a GPU was replaced or lost, or this is another machine"
              .formatted(device.index(), device.uuid(), other));
    }
    return file == null || now.equals(file) || !file.startsWith(DEVICE_DIR)
        ? Optional.empty()
        : Optional.of(
            "device %d is %s at %s, which is at %s now: a GPU was replaced or moved"
                .formatted(device.index(), device.uuid(), file, now));
  }
}

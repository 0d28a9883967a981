package org.schedgpu.agent.setup;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.BiFunction;
import java.util.function.ToLongFunction;
import org.schedgpu.agent.context.LearnedContexts;
import org.schedgpu.agent.problem.AgentException;
import org.schedgpu.agent.text.Texts;
import org.schedgpu.gres.facts.Device;
import org.schedgpu.gres.facts.NodeFacts;
import org.schedgpu.jna.DeviceSpec;
import org.schedgpu.jna.Nvml;
import org.schedgpu.jna.Units;

/** What this node has: its name, its CPUs, its devices as NVML sees them. */
public final class NodeFactsReader {
  /**
   * Device memory of one process's CUDA context where nobody measured it: NVML cannot tell before
   * there is one, and 512 MiB is more than contexts of current drivers take.
   */
  public static final String DEFAULT_CONTEXT = "512M";

  private static final Path HOST_NAME = Path.of("/proc/sys/kernel/hostname");
  private static final Path CPU_INFO = Path.of("/proc/cpuinfo");

  private NodeFactsReader() {}

  /** Slurm's name of this node, else the host's name up to the first dot. */
  public static String nodeName(Map<String, String> environment) {
    String slurms = environment.getOrDefault("SLURMD_NODENAME", "");
    if (!slurms.isEmpty()) {
      return slurms;
    }
    return Texts.lines(HOST_NAME).get(0).split("\\.", 2)[0];
  }

  /** What the region needs of every device, with its device file in {@code deviceDir}. */
  static NodeFacts read(String nodeName, Path deviceDir, long contextBytes) {
    return facts(nodeName, (device, driver) -> device(device, deviceDir, contextBytes, null, null));
  }

  /**
   * With MIG mode and near cores, which only the plan needs.
   *
   * @param contextBytes of a CUDA context, by device and driver
   */
  public static NodeFacts forPlan(
      String nodeName, Path deviceDir, ToLongFunction<LearnedContexts.Kind> contextBytes) {
    Optional<CoreNumbers> numbers = CoreNumbers.read();
    return facts(
        nodeName,
        (device, driver) -> {
          Optional<String> cores =
              numbers.flatMap(all -> device.nearCpus(all.cpus()).flatMap(all::of));
          Boolean mig = device.migMode().orElse(null);
          LearnedContexts.Kind kind = new LearnedContexts.Kind(device.name(), driver);
          long bytes = contextBytes.applyAsLong(kind);
          return device(device, deviceDir, bytes, cores.orElse(null), mig);
        });
  }

  private static NodeFacts facts(String nodeName, BiFunction<Nvml.Device, String, Device> reader) {
    try (Nvml nvml = open()) {
      String driver = nvml.driverVersion();
      return new NodeFacts(
          nodeName,
          cpus(),
          nvml.devices().stream().map(device -> reader.apply(device, driver)).toList());
    }
  }

  private static Device device(
      Nvml.Device device, Path deviceDir, long contextBytes, String cores, Boolean mig) {
    Nvml.MemoryInfo memory = device.memory();
    return new Device(
        device.index(),
        device.uuid(),
        deviceDir.resolve("nvidia" + device.minorNumber()).toString(),
        memory.totalBytes(),
        memory.reservedBytes(),
        contextBytes,
        device.name(),
        cores,
        mig);
  }

  /** The devices as the region wants them. */
  static List<DeviceSpec> deviceSpecs(NodeFacts facts) {
    return facts.devices().stream()
        .map(
            d ->
                new DeviceSpec(
                    d.index(),
                    d.totalBytes(),
                    d.reservedBytes(),
                    d.contextBytes(),
                    d.uuid(),
                    d.name()))
        .toList();
  }

  private static Nvml open() {
    Nvml.Attempt attempt = Nvml.open();
    return attempt.nvml().orElseThrow(() -> new AgentException(attempt.reason()));
  }

  /** CPUs of the node, not of the cgroup or affinity of this process; null if it is not known. */
  private static Integer cpus() {
    try {
      long count =
          Files.readAllLines(CPU_INFO).stream().filter(l -> l.startsWith("processor")).count();
      return count == 0 ? null : Math.toIntExact(count);
    } catch (IOException unknown) {
      return null;
    }
  }

  /** Of a CUDA context where nothing says otherwise. */
  public static long contextBytes() {
    return contextBytes(DEFAULT_CONTEXT);
  }

  /** A size as it is written in an option. */
  public static long contextBytes(String text) {
    OptionalLong bytes = Units.bytes(text);
    return bytes.orElseThrow(
        () -> new AgentException("--context " + text + " is no size: write 512M or 1G"));
  }
}

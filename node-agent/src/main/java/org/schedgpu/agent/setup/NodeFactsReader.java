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

/** The facts of this node: its name, its CPUs, its devices as NVML sees them. */
public final class NodeFactsReader {
  /**
   * Assumed device memory of a process's CUDA context if nobody measured it. NVML cannot tell
   * before a context exists, and contexts of current drivers are smaller than 512 MiB.
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

  /** What the region needs to know of every device, whose device file is in {@code deviceDir}. */
  static NodeFacts read(String nodeName, Path deviceDir, long contextBytes) {
    return facts(nodeName, (device, driver) -> device(device, deviceDir, contextBytes, null, null));
  }

  /**
   * The same with MIG mode and near cores, which only the plan needs.
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

  /** The devices in the form for the region. */
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

  /** CPUs of the node, not of the cgroup or affinity of this process; null if unknown. */
  private static Integer cpus() {
    try {
      long count =
          Files.readAllLines(CPU_INFO).stream().filter(l -> l.startsWith("processor")).count();
      return count == 0 ? null : Math.toIntExact(count);
    } catch (IOException unknown) {
      return null;
    }
  }

  /** The default context size. */
  public static long contextBytes() {
    return contextBytes(DEFAULT_CONTEXT);
  }

  /** A size in the form of an option. */
  public static long contextBytes(String text) {
    OptionalLong bytes = Units.bytes(text);
    return bytes.orElseThrow(
        () -> new AgentException("--context " + text + " is no size: write 512M or 1G"));
  }
}

package org.schedgpu.bench;

import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;

/**
 * The machine of the measurements.
 *
 * @param cpu its model
 * @param cores that the bench could use
 * @param virtualMachine true if it runs on a hypervisor
 * @param kernel its release
 * @param java its version
 * @param date in UTC
 * @param gpu what stands for the device: no measurement needs a real one
 * @param loadAverage of the last minute before the first measurement; a quiet machine has 0
 */
@JsonPropertyOrder({"cpu", "cores", "virtualMachine", "kernel", "java", "date", "gpu"})
record Machine(
    String cpu,
    int cores,
    boolean virtualMachine,
    String kernel,
    String java,
    String date,
    String gpu,
    double loadAverage) {
  private static final Path CPU_INFO = Path.of("/proc/cpuinfo");

  /** This one, now. */
  static Machine here() {
    List<String> cpuInfo = lines(CPU_INFO);
    return new Machine(
        cpu(cpuInfo),
        Runtime.getRuntime().availableProcessors(),
        flags(cpuInfo).contains(" hypervisor "),
        System.getProperty("os.version"),
        Runtime.version().toString(),
        Instant.now().truncatedTo(ChronoUnit.SECONDS).toString(),
        "emulated",
        Math.max(0, ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage()));
  }

  private static List<String> lines(Path file) {
    try {
      return Files.readAllLines(file);
    } catch (IOException e) {
      return List.of();
    }
  }

  static String cpu(List<String> cpuInfo) {
    String model = field(cpuInfo, "model name");
    return model.isEmpty() ? System.getProperty("os.arch") : model;
  }

  static String flags(List<String> cpuInfo) {
    return " " + field(cpuInfo, "flags") + " ";
  }

  private static String field(List<String> cpuInfo, String name) {
    return cpuInfo.stream()
        .filter(line -> line.startsWith(name))
        .map(line -> line.substring(line.indexOf(':') + 1).strip())
        .findFirst()
        .orElse("");
  }

  /** In one or two lines. */
  String text() {
    return String.format(
        Locale.ROOT,
        "%s, %d cores%s, Linux %s, Java %s%n%s; load average before: %.2f; GPU: %s%n",
        cpu,
        cores,
        virtualMachine ? " of a virtual machine" : "",
        kernel,
        java,
        date,
        loadAverage,
        gpu);
  }
}

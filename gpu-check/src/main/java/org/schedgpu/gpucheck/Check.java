package org.schedgpu.gpucheck;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.schedgpu.jna.GpuProcess;
import org.schedgpu.jna.Nvml;

/**
 * The environment of a section.
 *
 * @param deadline of the section
 * @param brief true: as few rounds as possible
 * @param work a folder for its files
 * @param runFolder folder for regions: in memory, and visible to all users
 */
record Check(
    Bundle bundle,
    Machine machine,
    Nvml.Device device,
    Frameworks frameworks,
    Findings findings,
    Deadline deadline,
    boolean brief,
    Path work,
    Path runFolder) {
  static final long MIB = 1L << 20;
  static final long GIB = 1L << 30;

  /** Of {@code fair}, in {@link #laneRegion}: shorter than an iteration. */
  static final long LANE_QUANTUM_MS = 10;

  /** The same with another deadline. */
  Check with(Deadline other) {
    return new Check(bundle, machine, device, frameworks, findings, other, brief, work, runFolder);
  }

  /** A region with the policy fifo. */
  Region region() throws InterruptedException {
    return region("fifo");
  }

  Region region(String policy) throws InterruptedException {
    return new Region(bundle, machine, policy, "", runFolder);
  }

  /** A region whose lanes may change hands after each iteration. */
  Region laneRegion() throws InterruptedException {
    return new Region(
        bundle, machine, "fifo", "LaneQuantum=" + LANE_QUANTUM_MS + "ms\n", runFolder);
  }

  /** Starts a program of the bundle outside any job. */
  Program start(List<String> command) {
    return start(command, machine.environment());
  }

  Program start(List<String> command, Map<String, String> environment) {
    return Program.start(command, environment, file(), deadline);
  }

  /** A budget of this number of bytes, or of {@code percent} of the device if that is less. */
  long budgetBytes(long wantedBytes, int percent) {
    return Math.min(wantedBytes, machine.totalBytes() / 100 * percent) / MIB * MIB;
  }

  /** True if there is time for one more round of this length. */
  boolean allows(Duration round) {
    return !brief && deadline.allows(round);
  }

  /** A fresh file. */
  Path file() {
    try {
      return Files.createTempFile(work, "program", ".err");
    } catch (IOException e) {
      throw new CheckException("cannot make a file in " + work, e);
    }
  }

  /** The C program that loads the driver through a handle. */
  List<String> deviceProgram() {
    return List.of(bundle.program("device_program").toString(), "handle");
  }

  /**
   * NVML's number for a process on the device; empty if NVML does not report it or does not know
   * the process.
   */
  OptionalLong usedBytes(long pid) {
    return device
        .processes()
        .flatMap(all -> all.stream().filter(process -> process.pid() == pid).findFirst())
        .map(GpuProcess::usedBytes)
        .orElse(OptionalLong.empty());
  }

  /** The use of the device by all processes, according to NVML. */
  long usedBytes() {
    return device.memory().usedBytes();
  }

  /** Bytes for people. */
  static String size(long bytes) {
    long size = Math.abs(bytes);
    if (size >= GIB) {
      return "%.2f GiB".formatted(bytes / (double) GIB);
    }
    return size == 0 || size >= MIB
        ? "%.1f MiB".formatted(bytes / (double) MIB)
        : "%.1f KiB".formatted(bytes / 1024.0);
  }
}

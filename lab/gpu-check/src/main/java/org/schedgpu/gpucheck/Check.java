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
 * @param mode how much the section does
 * @param brief true: as few rounds as possible
 */
record Check(
    Bundle bundle,
    Machine machine,
    Nvml.Device device,
    Frameworks frameworks,
    Findings findings,
    Deadline deadline,
    Mode mode,
    boolean brief,
    Folders folders) {
  static final long MIB = 1L << 20;
  static final long GIB = 1L << 30;

  /** Of {@code fair}, in {@link #laneRegion}: shorter than an iteration. */
  static final long LANE_QUANTUM_MS = 10;

  /**
   * Where things are.
   *
   * @param work files of the run
   * @param run parent of regions: in memory, and visible to all users
   */
  record Folders(Path work, Path run, ResultFolder results) {}

  /** One check of a section. */
  interface Step {
    void run() throws InterruptedException;
  }

  /** The same with another deadline. */
  Check with(Deadline other) {
    return new Check(bundle, machine, device, frameworks, findings, other, mode, brief, folders);
  }

  /** The same with another size of contexts. */
  Check withContextBytes(long bytes) {
    Machine other = machine.with(bytes, machine.processors(), machine.cudaVersion());
    return new Check(bundle, other, device, frameworks, findings, deadline, mode, brief, folders);
  }

  Path work() {
    return folders.work();
  }

  /**
   * Does a check if there is so much time; what stops it is its outcome.
   *
   * @param what its name among the findings
   */
  void step(String what, Duration needed, Step step) throws InterruptedException {
    if (!deadline.allows(needed)) {
      findings.notDone(what, "no time left");
      return;
    }
    try {
      step.run();
    } catch (CheckException problem) {
      findings.broken(what, problem);
    }
  }

  /** A judgement; in the first run only figures, which tell what to expect of such a device. */
  void judgeLater(String what, boolean holds, String result, Map<String, ?> figures) {
    if (mode == Mode.FIRST) {
      String more = holds ? "" : " (more than allowed: read both numbers)";
      findings.measured(what, result + more, figures);
    } else {
      findings.judged(what, holds, result, figures);
    }
  }

  /** What to throw after a wait: {@link OutOfTime} if the time of the section is over. */
  CheckException late(String message) {
    return deadline.isOver() ? new OutOfTime(message) : new CheckException(message);
  }

  /** Runs a command to its end; its standard error is kept if the check fails. */
  Command.Result run(List<String> command, Map<String, String> environment)
      throws InterruptedException {
    Path errors = errorsOf(Program.nameOf(command));
    return Command.run(command, environment, deadline, text -> write(errors, text));
  }

  /** A region with the policy fifo. */
  Region region() throws InterruptedException {
    return region("fifo");
  }

  Region region(String policy) throws InterruptedException {
    return new Region(bundle, machine, policy, "", folders.run());
  }

  /** A region whose lanes may change hands after each iteration. */
  Region laneRegion() throws InterruptedException {
    return new Region(
        bundle, machine, "fifo", "LaneQuantum=" + LANE_QUANTUM_MS + "ms\n", folders.run());
  }

  /** Starts a program of the bundle outside any job. */
  Program start(List<String> command) {
    return start(command, machine.environment());
  }

  Program start(List<String> command, Map<String, String> environment) {
    return Program.start(command, environment, errorsOf(Program.nameOf(command)), deadline);
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
    return file("file", "");
  }

  /** A fresh file for the standard error of a program. */
  Path errorsOf(String program) {
    return file(program + "-", ".err");
  }

  private Path file(String begin, String end) {
    try {
      return Files.createTempFile(work(), begin, end);
    } catch (IOException e) {
      throw new CheckException("cannot make a file in " + work(), e);
    }
  }

  private static void write(Path file, String text) {
    try {
      Files.writeString(file, text);
    } catch (IOException e) {
      throw new CheckException("cannot write " + file, e);
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

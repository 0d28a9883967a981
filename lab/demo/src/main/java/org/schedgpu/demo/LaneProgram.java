package org.schedgpu.demo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A program of iterations that was started, and the files that it writes.
 *
 * @param startedNs CLOCK_MONOTONIC
 * @param record file of its iterations
 * @param errorFile what it writes to stderr
 */
record LaneProgram(String name, long startedNs, Process process, Path record, Path errorFile)
    implements AutoCloseable {

  /** Starts it; its files are removed with the device. */
  static LaneProgram start(String name, EmulatedGpu gpu, ProcessBuilder builder) {
    Path errors = gpu.file(name + ".errors");
    long startedNs = System.nanoTime();
    try {
      Process process = builder.redirectError(errors.toFile()).start();
      return new LaneProgram(name, startedNs, process, recordOf(name, gpu), errors);
    } catch (IOException e) {
      throw new DemoException("cannot start " + builder.command().get(0) + " for " + name, e);
    }
  }

  /** The file of the iterations of a program: an argument of it. */
  static Path recordOf(String name, EmulatedGpu gpu) {
    return gpu.file(name + ".iterations");
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** What it wrote to stderr until now. */
  String said() {
    try {
      return Files.readString(errorFile).strip();
    } catch (IOException e) {
      throw new DemoException("cannot read " + errorFile, e);
    }
  }

  /** The iterations that it has ended. */
  List<Iteration> iterations() {
    return Files.exists(record) ? Iteration.read(record) : List.of();
  }

  /**
   * Its exit status, once it has ended.
   *
   * @throws DemoException if it does not end until then
   */
  int awaitEnd(long deadlineNs) throws InterruptedException {
    if (!process.waitFor(deadlineNs - System.nanoTime(), TimeUnit.NANOSECONDS)) {
      throw new DemoException("%s does not end: %s".formatted(name, said()));
    }
    return process.exitValue();
  }

  /** Kills it if it still runs. */
  @Override
  public void close() {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly().onExit().join();
  }
}

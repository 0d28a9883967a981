package org.schedgpu.gpucheck;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.schedgpu.gpucheck.Region.Wish;

/**
 * A training or an inference server as a lane job: the program of demo-lanes ({@code
 * lab/demo/src/main/c/training.c}). Used by one thread. {@link #end} kills the program and ends its
 * job.
 */
final class LaneProgram {
  private final Check check;
  private final Region region;
  private final String name;
  private final long job;
  private final Path record;
  private final Path errors;
  private final Process process;

  /**
   * What it does.
   *
   * @param policy of its lane
   * @param modelMib what it keeps
   * @param ephemeralMib what it needs besides in an iteration
   * @param kernelMs of an iteration, alone on the device
   * @param iterations at most
   * @param lengthMs what it declares for {@code srtf}
   */
  record Work(
      String policy,
      long modelMib,
      long ephemeralMib,
      double kernelMs,
      int iterations,
      long lengthMs) {
    long budgetBytes() {
      return (modelMib + ephemeralMib) * Check.MIB;
    }

    private Wish wish() {
      return Wish.budget(budgetBytes())
          .with("LANE", policy)
          .with("PERSISTENT", modelMib + "M")
          .with("LENGTH", lengthMs + "ms");
    }
  }

  /**
   * Starts it.
   *
   * @param options of the program, before its arguments
   * @param go file for which it waits in its first iteration; null for none
   */
  LaneProgram(
      Check check,
      Region region,
      Kernels kernels,
      String name,
      Work work,
      List<String> options,
      Path go)
      throws InterruptedException {
    this.check = check;
    this.region = region;
    this.name = name;
    record = check.file();
    errors = check.errorsOf("training");
    job = region.begin(work.wish());
    List<String> command = new ArrayList<>();
    command.add(check.bundle().program("training").toString());
    command.addAll(options);
    command.addAll(List.of("" + work.modelMib(), "" + work.ephemeralMib()));
    command.addAll(List.of("" + (long) (work.kernelMs() * 1000), "" + work.iterations()));
    command.add(record.toString());
    if (go != null) {
      command.add(go.toString());
    }
    process = start(command, environment(work, kernels));
  }

  private Map<String, String> environment(Work work, Kernels kernels) {
    Map<String, String> environment = region.environmentOf(job);
    environment.put("SCHEDGPU_LANE", work.policy());
    environment.putAll(kernels.environment());
    return environment;
  }

  private Process start(List<String> command, Map<String, String> environment)
      throws InterruptedException {
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(errors.toFile());
    builder.environment().clear();
    builder.environment().putAll(environment);
    try {
      return builder.start();
    } catch (IOException e) {
      region.end(job);
      throw new CheckException("cannot start " + command.get(0), e);
    }
  }

  String name() {
    return name;
  }

  /** The iterations that it has ended. */
  List<Iteration> iterations() {
    try {
      String text = Files.readString(record);
      return text.substring(0, text.lastIndexOf('\n') + 1).lines().map(Iteration::parse).toList();
    } catch (IOException e) {
      throw new CheckException("cannot read " + record, e);
    }
  }

  /**
   * Stops the check if it has ended with an error.
   *
   * @throws CheckException also if no time is left
   */
  void requireAlive() {
    if (!process.isAlive() && process.exitValue() != 0) {
      throw failure("ended with status " + process.exitValue());
    }
    if (check.deadline().isOver()) {
      throw new OutOfTime(name + " did not go on in the time that was left");
    }
  }

  /**
   * Waits until the program has ended.
   *
   * @throws CheckException if it fails, or does not end in the time that is left
   */
  void awaitEnd() throws InterruptedException {
    long ms = Math.max(1, check.deadline().left().toMillis());
    if (!process.waitFor(ms, TimeUnit.MILLISECONDS)) {
      throw new OutOfTime(name + " did not end in the time that was left");
    }
    requireAlive();
  }

  private CheckException failure(String what) {
    try {
      String said = Files.readString(errors).strip().replace('\n', ' ');
      return new CheckException("%s %s%s".formatted(name, what, said.isEmpty() ? "" : ": " + said));
    } catch (IOException e) {
      return new CheckException(name + " " + what, e);
    }
  }

  void end() throws InterruptedException {
    process.destroyForcibly().waitFor();
    region.end(job);
  }
}

package org.schedgpu.agent.run;

import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.schedgpu.agent.suggest.EndHint;
import org.schedgpu.jna.ErrorCode;
import org.schedgpu.jna.JobSpec;
import org.schedgpu.jna.Mode;
import org.schedgpu.jna.RegionSnapshot.Device;
import org.schedgpu.jna.SchedGpu;
import org.schedgpu.jna.SchedGpuException;

/** A job of {@code schedgpu run}: registered from {@link #begin} to {@link #close}. */
final class RunJob implements AutoCloseable {
  private final RunRegion region;
  private final Path runDir;
  private final JobSpec spec;
  private final Map<String, String> environment;

  private RunJob(RunRegion region, Path runDir, JobSpec spec, Map<String, String> environment) {
    this.region = region;
    this.runDir = runDir;
    this.spec = spec;
    this.environment = environment;
  }

  /** Makes a job spec from what the region's devices are. */
  interface Decision {
    JobSpec decide(List<Device> devices);
  }

  /** Opens the region, makes it if there is none, and registers the job. */
  static RunJob begin(
      Path runDir, RunRegion.Creation creation, Decision decision, RunEnvironment.Terms terms) {
    RunRegion region = RunRegion.open(runDir, creation);
    try {
      List<Device> devices = region.devices();
      JobSpec spec = region.begin(decision.decide(devices));
      List<Device> own =
          devices.stream()
              .filter(device -> spec.budgetBytes().containsKey(device.index()))
              .toList();
      return new RunJob(
          region,
          runDir,
          spec,
          RunEnvironment.of(
              System.getenv(), spec.reference(), runDir, own, hasBudget(spec), terms));
    } catch (RuntimeException problem) {
      region.close();
      throw problem;
    }
  }

  private static boolean hasBudget(JobSpec spec) {
    return spec.budgetBytes().values().stream().anyMatch(bytes -> bytes > 0);
  }

  /**
   * In mode gate: waits until the budget is reserved. A signal ends the job and this process.
   *
   * @return false if the time was over, which stderr tells
   */
  boolean passGate() {
    if (spec.mode() != Mode.GATE) {
      return true;
    }
    Signals signals =
        Signals.endAfter(
            () -> {
              SchedGpu.hushGate();
              close();
            });
    try {
      SchedGpu.passGate(runDir, spec.reference());
      return true;
    } catch (SchedGpuException problem) {
      if (problem.code() != ErrorCode.ETIMEDOUT) {
        throw problem;
      }
      return false;
    } finally {
      signals.close();
    }
  }

  /** As it was decided. */
  JobSpec spec() {
    return spec;
  }

  Map<String, String> environment() {
    return environment;
  }

  /**
   * What the user should ask for the next time, after the command has ended; empty: the same. It
   * looks at the device of which the job used most; of one that used nothing, at any of its.
   */
  Optional<String> endHint() {
    try {
      return region.uses().stream()
          .max(Comparator.comparingLong(EndHint.Use::usedBytes))
          .flatMap(use -> EndHint.of(spec.reference(), use, "--mem "));
    } catch (SchedGpuException unreadable) {
      return Optional.empty(); // whatever is wrong, the next command says it
    }
  }

  @Override
  public void close() {
    region.close();
  }
}

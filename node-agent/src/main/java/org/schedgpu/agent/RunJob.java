package org.schedgpu.agent;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.schedgpu.jna.ErrorCode;
import org.schedgpu.jna.JobSpec;
import org.schedgpu.jna.Mode;
import org.schedgpu.jna.RegionSnapshot.Device;
import org.schedgpu.jna.SchedGpu;
import org.schedgpu.jna.SchedGpuException;

/** A job of {@code schedgpu run}: registered from {@link #begin} to {@link #close}. */
final class RunJob implements AutoCloseable {
  private final SchedGpu region;
  private final Path runDir;
  private final JobSpec spec;
  private final Map<String, String> environment;

  private RunJob(SchedGpu region, Path runDir, JobSpec spec, Map<String, String> environment) {
    this.region = region;
    this.runDir = runDir;
    this.spec = spec;
    this.environment = environment;
  }

  /** Makes a job spec from what the region's devices are. */
  interface Decision {
    JobSpec decide(List<Device> devices);
  }

  /** How the region is made if there is none. */
  interface Creation {
    void create();
  }

  /** Opens the region, makes it if there is none, and registers the job. */
  static RunJob begin(
      Path runDir, Creation creation, Decision decision, RunEnvironment.Terms terms) {
    SchedGpu region = open(runDir, creation);
    try {
      List<Device> devices = region.glance().devices();
      JobSpec spec = decision.decide(devices);
      region.jobBegin(spec);
      List<String> uuids =
          devices.stream()
              .filter(device -> spec.budgetBytes().containsKey(device.index()))
              .map(Device::uuid)
              .toList();
      return new RunJob(
          region,
          runDir,
          spec,
          RunEnvironment.of(
              System.getenv(), spec.reference(), runDir, uuids, hasBudget(spec), terms));
    } catch (RuntimeException problem) {
      region.close();
      throw problem;
    }
  }

  private static boolean hasBudget(JobSpec spec) {
    return spec.budgetBytes().values().stream().anyMatch(bytes -> bytes > 0);
  }

  private static SchedGpu open(Path runDir, Creation creation) {
    try {
      return SchedGpu.open(runDir);
    } catch (SchedGpuException problem) {
      if (problem.code() != ErrorCode.ENOREGION) {
        throw problem;
      }
      creation.create();
      return SchedGpu.open(runDir);
    }
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

  Map<String, String> environment() {
    return environment;
  }

  @Override
  public void close() {
    region.jobEnd(spec.kind(), spec.jobId());
    region.close();
  }
}

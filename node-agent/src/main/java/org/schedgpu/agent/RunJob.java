package org.schedgpu.agent;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.schedgpu.jna.ErrorCode;
import org.schedgpu.jna.JobSpec;
import org.schedgpu.jna.RegionSnapshot.Device;
import org.schedgpu.jna.SchedGpu;
import org.schedgpu.jna.SchedGpuException;

/** A job of {@code schedgpu run}: registered from {@link #begin} to {@link #close}. */
final class RunJob implements AutoCloseable {
  private final SchedGpu region;
  private final JobSpec spec;
  private final Map<String, String> environment;

  private RunJob(SchedGpu region, JobSpec spec, Map<String, String> environment) {
    this.region = region;
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
      Path runDir, Creation creation, Decision decision, Path preloadLibrary, String onFailure) {
    SchedGpu region = open(runDir, creation);
    try {
      List<Device> devices = region.snapshot().devices();
      JobSpec spec = decision.decide(devices);
      region.jobBegin(spec);
      List<String> uuids =
          devices.stream()
              .filter(device -> spec.budgetBytes().containsKey(device.index()))
              .map(Device::uuid)
              .toList();
      return new RunJob(
          region,
          spec,
          RunEnvironment.of(
              System.getenv(), spec.reference(), runDir, uuids, preloadLibrary, onFailure));
    } catch (RuntimeException problem) {
      region.close();
      throw problem;
    }
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

  Map<String, String> environment() {
    return environment;
  }

  @Override
  public void close() {
    region.jobEnd(spec.kind(), spec.jobId());
    region.close();
  }
}

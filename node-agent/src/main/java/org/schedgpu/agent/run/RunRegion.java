package org.schedgpu.agent.run;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.schedgpu.agent.sight.SightClient;
import org.schedgpu.agent.suggest.EndHint;
import org.schedgpu.jna.ErrorCode;
import org.schedgpu.jna.JobSpec;
import org.schedgpu.jna.RegionSnapshot.Device;
import org.schedgpu.jna.SchedGpu;
import org.schedgpu.jna.SchedGpuException;
import org.schedgpu.jna.ServedRun;

/** Where a job of {@code schedgpu run} is registered: in the region, or by the agent. */
interface RunRegion extends AutoCloseable {
  /** By which the agent is asked. */
  String SOCKET = "agent.sock";

  /** The devices of the node. */
  List<Device> devices();

  /** Begins a job, and tells what became of what was wanted. */
  JobSpec begin(JobSpec wanted);

  /** What the job used of each of its devices, when its processes are gone; empty: not known. */
  List<EndHint.Use> uses();

  /** Ends it. */
  @Override
  void close();

  /** How the region is made if there is none. */
  interface Creation {
    void create();
  }

  /**
   * The region of {@code runDir}, made if there is none; the agent's, if only that may write it.
   */
  static RunRegion open(Path runDir, Creation creation) {
    try {
      return new Own(SchedGpu.open(runDir));
    } catch (SchedGpuException problem) {
      if (problem.code() == ErrorCode.EPERM && Files.exists(runDir.resolve(SOCKET))) {
        return new OfAgent(ServedRun.open(runDir), runDir);
      }
      if (problem.code() != ErrorCode.ENOREGION) {
        throw problem;
      }
      creation.create();
      return new Own(SchedGpu.open(runDir));
    }
  }

  /** A region that this process may write. */
  final class Own implements RunRegion {
    /** No process id is as large. */
    private static final long PIDS = 1L << 22;

    private final SchedGpu region;
    private JobSpec begun;

    Own(SchedGpu region) {
      this.region = region;
    }

    @Override
    public List<Device> devices() {
      return region.glance().devices();
    }

    /** An older job that lives on in its processes keeps its number. */
    @Override
    public JobSpec begin(JobSpec wanted) {
      JobSpec job = wanted;
      while (region.jobFind(job.kind(), job.jobId()).isPresent()) {
        job = job.withJobId(job.jobId() + PIDS);
      }
      region.jobBegin(job);
      begun = job;
      return job;
    }

    /** What processes had at most is added up when they are gone. */
    @Override
    public List<EndHint.Use> uses() {
      region.reap();
      return RunUse.of(region.glance(), begun);
    }

    @Override
    public void close() {
      if (begun != null) {
        region.jobEnd(begun.kind(), begun.jobId());
      }
      region.close();
    }
  }

  /** A region that only the agent may write. */
  final class OfAgent implements RunRegion {
    private final ServedRun run;
    private final Path runDir;
    private JobSpec begun;

    OfAgent(ServedRun run, Path runDir) {
      this.run = run;
      this.runDir = runDir;
    }

    @Override
    public List<Device> devices() {
      return run.devices().stream()
          .map(
              spec ->
                  new Device(
                      spec.index(),
                      spec.uuid(),
                      spec.name(),
                      spec.totalBytes(),
                      spec.reservedBytes(),
                      spec.contextBytes(),
                      0,
                      0))
          .toList();
    }

    @Override
    public JobSpec begin(JobSpec wanted) {
      begun = run.begin(wanted);
      return begun;
    }

    /** The agent looks at who has ended before it reads a message: so that one comes first. */
    @Override
    public List<EndHint.Use> uses() {
      List<Device> devices = devices();
      return SightClient.askBriefly(runDir, "jobs", Map.of())
          .map(answer -> RunUse.of(answer, begun, devices))
          .orElse(List.of());
    }

    @Override
    public void close() {
      run.close();
    }
  }
}

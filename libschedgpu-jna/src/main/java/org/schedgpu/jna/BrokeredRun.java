package org.schedgpu.jna;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import com.sun.jna.ptr.PointerByReference;
import java.nio.file.Path;
import java.util.List;

/**
 * A job that this user begins where only the agent may write the region ({@code schedgpu/run.h}).
 * Used by one thread at a time; it ends with {@link #close}, or with this process and all of its
 * own.
 */
public final class BrokeredRun implements AutoCloseable {
  private final RegionLayout layout = RegionLayout.ofLibrary();
  private Pointer run;

  private BrokeredRun(Pointer run) {
    this.run = run;
  }

  /**
   * To the agent that serves {@code runDir}.
   *
   * @throws SchedGpuException EAGENT: there is none
   */
  public static BrokeredRun open(Path runDir) {
    CLibrary.load();
    PointerByReference run = new PointerByReference();
    SchedGpu.check(CApi.schedgpu_run_open(runDir.toString(), run), "ask the agent of " + runDir);
    return new BrokeredRun(run.getValue());
  }

  /**
   * For who is about to look at the region of {@code runDir}: an agent that serves clients writes
   * there what they use just now. Without one nothing happens; it is not waited for long.
   */
  public static void refresh(Path runDir) {
    CLibrary.load();
    CApi.schedgpu_run_refresh(runDir.toString());
  }

  /** The devices of the node, without names. */
  public List<DeviceSpec> devices() {
    Memory node = AdminStructs.emptySetup(layout);
    SchedGpu.check(CApi.schedgpu_run_devices(run, node), "ask the agent for the devices");
    return AdminStructs.devices(node, layout);
  }

  /**
   * Begins the job.
   *
   * @param wanted its id and user do not count
   * @return the job as the agent decided it
   */
  public JobSpec begin(JobSpec wanted) {
    Memory spec = AdminStructs.jobSpec(wanted, layout);
    int result = CApi.schedgpu_run_begin(run, spec);
    SchedGpu.check(result, "begin a job" + explanation(result));
    return AdminStructs.jobSpec(spec, layout);
  }

  /** What is not about the region, but about the agent's decision. */
  private static String explanation(int result) {
    return switch (ErrorCode.of(result)) {
      case ETOOBIG -> " (MaxMem of the agent's schedgpu.conf, or the device, gives less)";
      case EFULL -> " (you have as many jobs as allowed: wait until one ends)";
      case EPERM -> " (this is inside a Slurm job, which has a budget of its own)";
      case EVERSION -> " (the agent is older than this command: it must be started anew)";
      default -> "";
    };
  }

  /** Ends the job, if one was begun. */
  @Override
  public void close() {
    if (run != null) {
      CApi.schedgpu_run_close(run);
      run = null;
    }
  }
}

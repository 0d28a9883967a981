package org.schedgpu.jna;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import com.sun.jna.ptr.PointerByReference;
import java.nio.file.Path;
import java.util.List;

/**
 * A job that an ordinary user begins where only the agent may write the region ({@code
 * schedgpu/run.h}). Used by one thread at a time; the job ends with {@link #close}, or with this
 * process and all its children.
 */
public final class BrokeredRun implements AutoCloseable {
  private final RegionLayout layout = RegionLayout.ofLibrary();
  private Pointer run;

  private BrokeredRun(Pointer run) {
    this.run = run;
  }

  /**
   * Connects to the agent that serves {@code runDir}.
   *
   * @throws SchedGpuException EAGENT: there is no agent
   */
  public static BrokeredRun open(Path runDir) {
    CLibrary.load();
    PointerByReference run = new PointerByReference();
    SchedGpu.check(CApi.schedgpu_run_open(runDir.toString(), run), "ask the agent of " + runDir);
    return new BrokeredRun(run.getValue());
  }

  /**
   * Asks an agent that serves clients to write their present use into the region of {@code runDir},
   * for a caller that is about to read it. Without an agent nothing happens; the call does not wait
   * long.
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
   * @param wanted the job as wanted; its id and user are ignored
   * @return the job as the agent decided it
   */
  public JobSpec begin(JobSpec wanted) {
    Memory spec = AdminStructs.jobSpec(wanted, layout);
    int result = CApi.schedgpu_run_begin(run, spec);
    SchedGpu.check(result, "begin a job" + explanation(result));
    return AdminStructs.jobSpec(spec, layout);
  }

  /** The answers that come from the agent's decision and not from the region. */
  private static String explanation(int result) {
    return switch (ErrorCode.of(result)) {
      case ETOOBIG -> " (MaxMem of the agent's schedgpu.conf, or the device, gives less)";
      case EFULL -> " (you have as many jobs of your own as one user may)";
      case EPERM -> " (this is inside a Slurm job, which has a budget of its own)";
      case EVERSION -> " (the agent is older than this command: restart it)";
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

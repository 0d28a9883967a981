package org.schedgpu.agent.setup;

import java.nio.file.Path;
import java.util.Optional;
import org.schedgpu.agent.problem.AgentException;
import org.schedgpu.jna.ErrorCode;
import org.schedgpu.jna.OtherVersionRegion;
import org.schedgpu.jna.SchedGpu;
import org.schedgpu.jna.SchedGpuException;
import org.schedgpu.jna.Setup;

/**
 * Sets up the region, also after an update of schedGPU that changed its layout: a region that
 * nobody uses is replaced, one in use stays.
 */
public final class RegionUpdate {
  private RegionUpdate() {}

  /** Processes use a region of another layout. It is replaced after the last of them has ended. */
  static final class InUse extends AgentException {
    private static final long serialVersionUID = 1L;

    InUse(String message, Throwable cause) {
      super(message, cause);
    }
  }

  /** The region of another layout that was replaced, if there was one. */
  public static Optional<OtherVersionRegion> setUp(Path runDir, Setup setup) {
    Optional<OtherVersionRegion> before = SchedGpu.otherLayout(runDir);
    try {
      SchedGpu.setup(runDir, setup);
      return before;
    } catch (SchedGpuException problem) {
      if (problem.code() != ErrorCode.EVERSION || before.isEmpty()) {
        throw problem;
      }
      throw new InUse(text(runDir, before.get()), problem);
    }
  }

  static String text(Path runDir, OtherVersionRegion other) {
    return "%s: %s a region of layout %d, and this schedgpu needs layout %d: drain the node; when no process uses it any more, the agent or schedgpu setup replaces it"
        .formatted(
            runDir,
            other.processes() == 1 ? "1 process uses" : other.processes() + " processes use",
            other.version(),
            OtherVersionRegion.ours());
  }

  /** As text for the log and for users. */
  public static String replaced(Path runDir, OtherVersionRegion other) {
    return "%s: replaced a region of layout %d, which no process used"
        .formatted(runDir, other.version());
  }
}

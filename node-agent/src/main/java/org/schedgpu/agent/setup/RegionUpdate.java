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
 * The region is set up, also after an update of schedgpu that changed its layout: one that nobody
 * uses is replaced, one in use is left alone.
 */
public final class RegionUpdate {
  private RegionUpdate() {}

  /** Processes use a region of another layout: when the last of them has ended, it is replaced. */
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

  /** For people, and the log. */
  public static String replaced(Path runDir, OtherVersionRegion other) {
    return "%s: replaced a region of layout %d, which no process used"
        .formatted(runDir, other.version());
  }
}

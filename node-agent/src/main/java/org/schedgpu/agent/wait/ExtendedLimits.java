package org.schedgpu.agent.wait;

import java.nio.file.Path;
import java.util.Map;

/** What CompensateWait has added to the time limits of jobs of this node. */
public final class ExtendedLimits {
  private ExtendedLimits() {}

  /**
   * By how much, in nanoseconds, by the number of Slurm's job; none if the file may not be read.
   */
  public static Map<Long, Long> of(Path runDir) {
    return TimeLimits.extendedNs(runDir);
  }
}

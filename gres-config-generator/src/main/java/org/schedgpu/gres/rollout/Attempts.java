package org.schedgpu.gres.rollout;

import java.util.Map;
import java.util.Set;

/**
 * What this process has tried already. It is lost when the process ends, so that the next one tries
 * again.
 *
 * @param controller whether slurmctld's restart was requested
 * @param slurmds nodes whose slurmd restart was requested
 * @param failed by node, why its restart failed
 * @param resumed nodes whose resume was requested
 * @param timeUp whether the time limit of the current wait is over
 * @param again whether slurmctld must be restarted once more, after the slurmds
 */
record Attempts(
    boolean controller,
    Set<String> slurmds,
    Map<String, String> failed,
    Set<String> resumed,
    boolean timeUp,
    Again again) {
  /** The second restart of slurmctld. */
  enum Again {
    NOT_NEEDED,
    DUE,
    REQUESTED
  }

  static Attempts nothing() {
    return new Attempts(false, Set.of(), Map.of(), Set.of(), false, Again.NOT_NEEDED);
  }
}

package org.schedgpu.gres.rollout;

import java.util.Map;
import java.util.Set;

/**
 * What this process did already; forgotten when it ends, so that the next one tries again.
 *
 * @param controller whether slurmctld was told to restart
 * @param slurmds nodes whose slurmd was told to restart
 * @param failed what went wrong with a node's restart
 * @param resumed nodes that were told to resume
 * @param timeUp whether the limit for what is waited for is over
 */
record Attempts(
    boolean controller,
    Set<String> slurmds,
    Map<String, String> failed,
    Set<String> resumed,
    boolean timeUp) {
  static Attempts nothing() {
    return new Attempts(false, Set.of(), Map.of(), Set.of(), false);
  }
}

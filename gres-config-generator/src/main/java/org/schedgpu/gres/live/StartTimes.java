package org.schedgpu.gres.live;

import java.util.Map;

/**
 * When the daemons were started, in Slurm's words: only their being equal means something, as every
 * host has a clock of its own.
 *
 * @param slurmctld never empty
 * @param slurmds by node; a node that did not yet register with this slurmctld is not there
 */
public record StartTimes(String slurmctld, Map<String, String> slurmds) {
  /** Where they are read. */
  public interface Source {
    /**
     * As they are now.
     *
     * @throws LiveException if slurmctld does not answer
     */
    StartTimes now();
  }

  /** Copies the map. */
  public StartTimes {
    slurmds = Map.copyOf(slurmds);
  }
}

package org.schedgpu.gres.live;

import java.util.Map;

/**
 * The start times of the daemons, as Slurm prints them. They may only be compared for equality,
 * because every host has its own clock.
 *
 * @param slurmctld never empty
 * @param slurmds by node; nodes that have not yet registered with this slurmctld are missing
 */
public record StartTimes(String slurmctld, Map<String, String> slurmds) {
  /** The source of start times. */
  public interface Source {
    /**
     * The current start times.
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

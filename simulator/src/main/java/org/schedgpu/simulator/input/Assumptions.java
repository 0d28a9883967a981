package org.schedgpu.simulator.input;

import java.util.Map;

/**
 * What the input does not know.
 *
 * @param defaultBytes memory of a job on each of its devices, without its context, as the user said
 *     it
 * @param busyPermille how much of its time a job keeps each of its GPUs busy, as the user said it
 * @param knownBytes memory of those jobs of which it is known, by their number in Slurm
 */
public record Assumptions(long defaultBytes, int busyPermille, Map<Long, Long> knownBytes) {
  /** Nothing is known of any job. */
  public Assumptions(long defaultBytes, int busyPermille) {
    this(defaultBytes, busyPermille, Map.of());
  }

  /** Memory of a job of this number in Slurm on each of its devices. */
  long deviceBytes(long job) {
    return knownBytes.getOrDefault(job, defaultBytes);
  }
}

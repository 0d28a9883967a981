package org.schedgpu.simulator.cluster;

import java.util.Locale;

/**
 * A node with GPUs of one type.
 *
 * @param name of Slurm
 * @param cpus CPUs that jobs may have
 * @param hostBytes host memory that jobs may have
 * @param gpuType the type of its GPUs; empty if it has no name. In small letters, as slurmdbd has
 *     it, whatever it is given in
 * @param gpus number of GPUs, 1 to {@link #MAX_GPUS}
 * @param gpuBytes memory of each GPU
 */
public record NodeSpec(
    String name, int cpus, long hostBytes, String gpuType, int gpus, long gpuBytes) {
  /** As many as the region of a node can have. */
  public static final int MAX_GPUS = 16;

  public NodeSpec {
    gpuType = gpuType.toLowerCase(Locale.ROOT);
  }
}

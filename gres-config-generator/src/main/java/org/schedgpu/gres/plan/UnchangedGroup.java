package org.schedgpu.gres.plan;

import org.schedgpu.gres.common.Check;
import org.schedgpu.gres.common.GresException;

/**
 * GPUs whose lines stay as they are (MIG instances). Slurm numbers them after those of schedGPU,
 * and schedGPU does not manage their jobs.
 *
 * @param count at least 1
 */
public record UnchangedGroup(String gresType, int count) implements GpuGroup {
  /**
   * @throws GresException if Slurm does not accept the type
   */
  public UnchangedGroup {
    Check.gresType(gresType);
    Check.range("number of GPUs of type " + gresType, count, 1, NodePlan.MAX_GPUS);
  }
}

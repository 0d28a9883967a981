package org.schedgpu.gres.plan;

import org.schedgpu.gres.common.Check;
import org.schedgpu.gres.common.GresException;

/**
 * GPUs of lines that stay as they are (MIG instances): Slurm numbers them behind ours, schedGPU
 * does not touch their jobs.
 *
 * @param count at least 1
 */
public record UnchangedGroup(String gresType, int count) implements GpuGroup {
  /**
   * @throws GresException if the type is no word that Slurm takes
   */
  public UnchangedGroup {
    Check.gresType(gresType);
    Check.range("number of GPUs of type " + gresType, count, 1, NodePlan.MAX_GPUS);
  }
}

package org.schedgpu.gres.plan;

/** GPUs of a node that have one Type, and therefore consecutive indexes. */
public sealed interface GpuGroup permits DeviceGroup, UnchangedGroup {
  /** Slurm's Type; empty if the GPUs have none. */
  String gresType();

  /** Its part of the node's Gres=: {@code gpu:k20m:12}, or {@code gpu:12}. */
  default String gres() {
    return NodePlan.GPU + ":" + (gresType().isEmpty() ? "" : gresType() + ":") + count();
  }

  /** The number of GPUs of the group in Slurm. */
  int count();
}

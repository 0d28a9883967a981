package org.schedgpu.gres.plan;

/** GPUs of a node that have one Type and so follow each other in Slurm's numbers. */
public sealed interface GpuGroup permits DeviceGroup, UnchangedGroup {
  /** Slurm's Type; empty: they have none. */
  String gresType();

  /** Its part of the node's Gres=: {@code gpu:k20m:12}, or {@code gpu:12}. */
  default String gres() {
    return NodePlan.GPU + ":" + (gresType().isEmpty() ? "" : gresType() + ":") + count();
  }

  /** How many GPUs Slurm has of it. */
  int count();
}

package org.schedgpu.gres;

/** GPUs of a node that have one Type and so follow each other in Slurm's numbers. */
public sealed interface GpuGroup permits DeviceGroup, KeptGroup {
  /** Slurm's Type. */
  String gresType();

  /** How many GPUs Slurm has of it. */
  int count();
}

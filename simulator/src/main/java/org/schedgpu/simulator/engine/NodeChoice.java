package org.schedgpu.simulator.engine;

/** Which of the nodes with room the cluster's scheduler gives to a job. */
public enum NodeChoice {
  /** The {@link TightestNodes}: Slurm by default. */
  TIGHTEST,

  /**
   * Slurm 26.05 and newer: a job of one node gets the first one, and others the {@link
   * TightestNodes}.
   */
  FIRST,

  /** The node with the most idle CPUs: CR_LLN of Slurm. */
  IDLEST
}

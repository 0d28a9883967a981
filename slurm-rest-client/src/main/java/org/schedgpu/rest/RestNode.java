package org.schedgpu.rest;

import java.util.List;

/**
 * A node according to slurmctld.
 *
 * @param states such as {@code IDLE}, {@code DRAIN}, {@code INVALID}: upper case, flags included
 * @param reason why it is drained or down, empty if no reason was given
 * @param gres as configured, such as {@code gpu:k20:24}
 * @param gresUsed with indexes, such as {@code gpu:k20:2(IDX:0-1)}
 * @param partitions names
 * @param cpus that Slurm may allocate; 0 if not reported
 */
public record RestNode(
    String name,
    List<String> states,
    String reason,
    String gres,
    String gresUsed,
    List<String> partitions,
    int cpus) {

  /**
   * True if the node is in this state, or has this flag ({@code DRAIN}, {@code NOT_RESPONDING}).
   */
  public boolean is(String state) {
    return states.contains(state);
  }
}

package org.schedgpu.gres.live;

import java.util.Set;

/**
 * A job that is not over.
 *
 * @param id of an array that waits, the array's
 * @param state {@code PENDING}, {@code RUNNING}, {@code SUSPENDED}, {@code COMPLETING}, ...
 * @param nodes where it is, empty while it waits
 * @param gres what it asks for, {@code gres:gpu:2} or {@code gres/gpu:k20m:1}, several with commas;
 *     empty if none
 */
public record LiveJob(long id, String user, String state, Set<String> nodes, String gres) {

  /** Copies the nodes. */
  public LiveJob {
    nodes = Set.copyOf(nodes);
  }

  /** Whether it asks for GPUs of any type, in any of Slurm's ways. */
  public boolean usesGpu() {
    return gres.matches("(?is)(.*[,:/])?gpu([,:=/(].*)?");
  }

  /** Whether it holds its nodes: whatever is not waiting does. */
  public boolean isOnNode() {
    return !nodes.isEmpty();
  }
}

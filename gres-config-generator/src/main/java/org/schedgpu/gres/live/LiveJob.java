package org.schedgpu.gres.live;

import java.util.Set;

/**
 * A job that has not ended.
 *
 * @param id the job's id; of a pending array the array's
 * @param state {@code PENDING}, {@code RUNNING}, {@code SUSPENDED}, {@code COMPLETING}, ...
 * @param nodes nodes of the job, empty while it is pending
 * @param gres the GRES that it requests, {@code gres:gpu:2} or {@code gres/gpu:k20m:1}, several
 *     separated by commas; empty if none
 */
public record LiveJob(long id, String user, String state, Set<String> nodes, String gres) {

  /** Copies the nodes. */
  public LiveJob {
    nodes = Set.copyOf(nodes);
  }

  /** True if the job requests GPUs of any type, or shards, with any of Slurm's options. */
  public boolean usesGpu() {
    return gres.matches("(?is)(.*[,:/])?(gpu|shard)([,:=/(].*)?");
  }

  /** True if the job occupies its nodes: every state except pending. */
  public boolean isOnNode() {
    return !nodes.isEmpty();
  }
}

package org.schedgpu.gres.command;

import java.util.List;
import org.schedgpu.gres.plan.GresPlan;

/** What an administrator must know of a plan with shards. */
final class ShardNotes {
  private ShardNotes() {}

  static List<String> of(GresPlan plan) {
    return List.of(
        "all shards of a job on a node are of one device: the largest request is shard:%d"
            .formatted(largest(plan)),
        "shard and gpu exclude each other on a device: gpu:1 is a whole device, and waits until no"
            + " job has shards of it",
        "no node of the cluster can have virtual GPUs (MultipleFiles=) beside shards: Slurm would"
            + " count each of their files for a GPU");
  }

  private static long largest(GresPlan plan) {
    return plan.nodes().stream()
        .flatMap(node -> node.devices().stream().map(node::shardsOf))
        .mapToLong(Long::longValue)
        .max()
        .orElseThrow();
  }
}

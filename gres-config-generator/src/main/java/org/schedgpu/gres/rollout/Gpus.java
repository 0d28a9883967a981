package org.schedgpu.gres.rollout;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.schedgpu.gres.live.GpuCounts;

/**
 * The GPUs of a Gres= or GresUsed= by type, and the shards, as a value to compare and to print.
 * Immutable.
 */
public final class Gpus {
  private final Map<String, Long> byType;
  private final long shards;

  private Gpus(Map<String, Long> byType, long shards) {
    this.byType = byType;
    this.shards = shards;
  }

  /** Reads {@code gpu:k20m:12(S:0-1),mps:200}; null and a text without GPUs give no GPUs. */
  public static Gpus of(String gres) {
    String text = gres == null ? "" : gres;
    Map<String, Long> counts = new TreeMap<>(GpuCounts.of(text));
    counts.values().removeIf(count -> count == 0);
    return new Gpus(counts, GpuCounts.shards(text));
  }

  /** GPUs and shards: 0 in GresUsed= means that no job uses a GPU. */
  public long total() {
    return shards + byType.values().stream().mapToLong(Long::longValue).sum();
  }

  /** As Slurm writes it, {@code gpu:k20m:12}; {@code no GPU} if there is none. */
  @Override
  public String toString() {
    List<String> parts = new ArrayList<>();
    byType.forEach((type, count) -> parts.add("gpu:" + (type.isEmpty() ? "" : type + ":") + count));
    if (shards > 0) {
      parts.add("shard:" + shards);
    }
    return parts.isEmpty() ? "no GPU" : String.join(",", parts);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Gpus gpus && gpus.byType.equals(byType) && gpus.shards == shards;
  }

  @Override
  public int hashCode() {
    return 31 * byType.hashCode() + Long.hashCode(shards);
  }
}

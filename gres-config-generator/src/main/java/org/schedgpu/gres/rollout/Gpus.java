package org.schedgpu.gres.rollout;

import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.schedgpu.gres.live.GpuCounts;

/** The GPUs of a Gres= or GresUsed= by type, as a value to compare and to print. Immutable. */
public final class Gpus {
  private final Map<String, Long> byType;

  private Gpus(Map<String, Long> byType) {
    this.byType = byType;
  }

  /** Reads {@code gpu:k20m:12(S:0-1),mps:200}; null and a text without GPUs give no GPUs. */
  public static Gpus of(String gres) {
    Map<String, Long> counts = new TreeMap<>(GpuCounts.of(gres == null ? "" : gres));
    counts.values().removeIf(count -> count == 0);
    return new Gpus(counts);
  }

  public long total() {
    return byType.values().stream().mapToLong(Long::longValue).sum();
  }

  /** As Slurm writes it, {@code gpu:k20m:12}; {@code no GPU} if there is none. */
  @Override
  public String toString() {
    return byType.isEmpty()
        ? "no GPU"
        : byType.entrySet().stream()
            .map(e -> "gpu:" + (e.getKey().isEmpty() ? "" : e.getKey() + ":") + e.getValue())
            .collect(Collectors.joining(","));
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Gpus gpus && gpus.byType.equals(byType);
  }

  @Override
  public int hashCode() {
    return byType.hashCode();
  }
}

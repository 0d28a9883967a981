package org.schedgpu.gres.rollout;

import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The GPUs in one of Slurm's texts, by type: {@code gpu:k20m:12(S:0-1),mps:200}. Types that are not
 * named are the empty text. Immutable.
 */
public final class GpuCounts {
  private static final Pattern GPU =
      Pattern.compile("(?i)(?:^|,)gpu(?::([^:,()]*[^:,()0-9][^:,()]*))?(?::([0-9]+))?(?=[(,:]|$)");
  private static final Pattern IN_BRACKETS = Pattern.compile("\\([^)]*\\)");

  private final Map<String, Long> byType;

  private GpuCounts(Map<String, Long> byType) {
    this.byType = byType;
  }

  /** Reads Gres= or GresUsed=; a text without GPUs, and null, are none. */
  public static GpuCounts of(String gres) {
    Map<String, Long> counts = new TreeMap<>();
    Matcher gpu = GPU.matcher(IN_BRACKETS.matcher(gres == null ? "" : gres).replaceAll(""));
    while (gpu.find()) {
      String type = gpu.group(1) == null ? "" : gpu.group(1);
      long count = gpu.group(2) == null ? 1 : Long.parseLong(gpu.group(2));
      if (count > 0) {
        counts.merge(type, count, Long::sum);
      }
    }
    return new GpuCounts(counts);
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
    return other instanceof GpuCounts counts && counts.byType.equals(byType);
  }

  @Override
  public int hashCode() {
    return byType.hashCode();
  }
}

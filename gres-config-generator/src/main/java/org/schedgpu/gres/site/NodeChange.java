package org.schedgpu.gres.site;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.List;
import java.util.Optional;
import org.schedgpu.gres.conf.GresSpec;

/**
 * The change of one node by a plan.
 *
 * @param name NodeName
 * @param before its present Gres=, perhaps empty
 * @param after its planned Gres=
 * @param alike true if all devices get the same number of shares
 */
public record NodeChange(String name, String before, String after, boolean alike) {
  private static final String GPU = "gpu";
  private static final String SHARD = "shard";

  boolean changes() {
    return !before.equals(after);
  }

  /** True if the node gets fewer GPUs or shards. */
  boolean shrinks() {
    return gpus(after) + shards(after) < gpus(before) + shards(before);
  }

  /** The number of GPUs in a Gres=, of all types. */
  static long gpus(String gres) {
    return specs(gres).stream().mapToLong(GresSpec::count).sum();
  }

  /** The number of shards in a Gres=. */
  static long shards(String gres) {
    return GresSpec.parse(gres).stream()
        .filter(spec -> spec.name().equals(SHARD))
        .mapToLong(GresSpec::count)
        .sum();
  }

  /** The gpu parts of a Gres=. */
  static List<GresSpec> specs(String gres) {
    return GresSpec.parse(gres).stream().filter(spec -> spec.name().equals(GPU)).toList();
  }

  /**
   * The number of shares of one GPU; empty if that differs within the node, or there was no GPU.
   */
  Optional<BigDecimal> factor() {
    long now = gpus(before);
    return alike && now > 0
        ? Optional.of(
            BigDecimal.valueOf(gpus(after))
                .divide(BigDecimal.valueOf(now), MathContext.DECIMAL64)
                .stripTrailingZeros())
        : Optional.empty();
  }

  /** The number of shards of one GPU; empty if that differs within the node. */
  Optional<BigDecimal> shardsPerGpu() {
    long all = shards(after);
    long devices = gpus(after);
    return alike && devices > 0 && all % devices == 0
        ? Optional.of(BigDecimal.valueOf(all / devices))
        : Optional.empty();
  }
}

package org.schedgpu.gres.site;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The value of TRESBillingWeights= or PriorityWeightTRES=: {@code CPU=1.0,Mem=0.25G,GRES/gpu=2.0}.
 *
 * @param parts in their order
 */
record Weights(List<Part> parts) {
  private static final Pattern WEIGHT = Pattern.compile("(-?[0-9]*\\.?[0-9]+)([A-Za-z]*)");
  private static final int DECIMALS = 6;

  /**
   * One weight.
   *
   * @param name as it is written
   * @param number without the suffix
   * @param suffix K, M, G, T, P or nothing
   */
  record Part(String name, BigDecimal number, String suffix) {
    boolean isGpu() {
      String lower = name.toLowerCase(Locale.ROOT);
      return lower.equals("gres/gpu") || lower.startsWith("gres/gpu:");
    }

    boolean isShard() {
      return name.equalsIgnoreCase("gres/shard");
    }

    Part times(BigDecimal factor) {
      BigDecimal product =
          number.multiply(factor, MathContext.DECIMAL64).setScale(DECIMALS, RoundingMode.HALF_UP);
      return new Part(name, product, suffix);
    }

    String text() {
      return name + "=" + plain(number) + suffix;
    }
  }

  /** Empty if Slurm does not accept it. */
  static Optional<Weights> parse(String value) {
    List<Part> parts = new ArrayList<>();
    for (String word : value.split(",", -1)) {
      int equals = word.indexOf('=');
      Matcher weight = WEIGHT.matcher(word.substring(equals + 1).strip());
      if (equals < 1 || !weight.matches()) {
        return Optional.empty();
      }
      String name = word.substring(0, equals).strip();
      parts.add(new Part(name, new BigDecimal(weight.group(1)), weight.group(2)));
    }
    return Optional.of(new Weights(List.copyOf(parts)));
  }

  /** The weights of GPUs, of any type and of a named one; 0 if there is none. */
  List<Part> gpus() {
    return parts.stream().filter(part -> part.isGpu() && part.number().signum() != 0).toList();
  }

  /**
   * The weights after a GPU became {@code factor} shares, each with its part of the GPU's price, in
   * whole numbers: Slurm cuts fractions off, so a share of less than 1 would cost nothing. The unit
   * becomes smaller, so all other weights are multiplied.
   */
  Weights shared(BigDecimal factor) {
    BigDecimal unit = gpus().stream().allMatch(Weights::isWhole) ? BigDecimal.ONE : largestPart();
    List<Part> shared = new ArrayList<>();
    for (Part part : parts) {
      shared.add(
          part.isGpu()
              ? part.times(unit)
              : part.times(factor.multiply(unit, MathContext.DECIMAL64)));
    }
    return new Weights(List.copyOf(shared));
  }

  /** The weight of a shard, if there is one. */
  boolean hasShards() {
    return parts.stream().anyMatch(Part::isShard);
  }

  /**
   * The weights after a GPU became {@code shards} shards: a shard costs what a GPU cost, and
   * everything else is multiplied, a whole GPU too. In whole numbers, as {@link #shared}. Empty if
   * GPUs of different types have different weights, because a shard has no type.
   */
  Optional<Weights> withShards(BigDecimal shards) {
    if (gpus().stream().map(part -> part.number().stripTrailingZeros()).distinct().count() != 1) {
      return Optional.empty();
    }
    BigDecimal unit = gpus().stream().allMatch(Weights::isWhole) ? BigDecimal.ONE : largestPart();
    BigDecimal factor = shards.multiply(unit, MathContext.DECIMAL64);
    List<Part> all = new ArrayList<>(parts.stream().map(part -> part.times(factor)).toList());
    Part gpu = gpus().get(0);
    all.add(new Part("GRES/shard", gpu.times(unit).number(), gpu.suffix()));
    return Optional.of(new Weights(List.copyOf(all)));
  }

  /** The factor that makes the smallest GPU weight 1. */
  private BigDecimal largestPart() {
    BigDecimal smallest =
        gpus().stream().map(part -> part.number().abs()).reduce(BigDecimal::min).orElseThrow();
    return BigDecimal.ONE.divide(smallest, MathContext.DECIMAL64);
  }

  private static boolean isWhole(Part part) {
    return part.number().stripTrailingZeros().scale() <= 0;
  }

  static String plain(BigDecimal number) {
    return number.signum() == 0 ? "0" : number.stripTrailingZeros().toPlainString();
  }

  String text() {
    return String.join(",", parts.stream().map(Part::text).toList());
  }
}

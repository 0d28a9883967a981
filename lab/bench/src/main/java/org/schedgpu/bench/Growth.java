package org.schedgpu.bench;

import java.util.Map;

/** How a cost grows with the size of what it is for, as the exponent e of cost = c * size^e. */
final class Growth {
  private Growth() {}

  /**
   * The exponent that fits best: the slope of the logarithms, by least squares.
   *
   * @param costs at least two positive costs by size
   */
  static double exponent(Map<Integer, Double> costs) {
    double meanSize = costs.keySet().stream().mapToDouble(Math::log).average().orElseThrow();
    double meanCost = costs.values().stream().mapToDouble(Math::log).average().orElseThrow();
    double above = 0;
    double below = 0;
    for (Map.Entry<Integer, Double> cost : costs.entrySet()) {
      double size = Math.log(cost.getKey()) - meanSize;
      above += size * (Math.log(cost.getValue()) - meanCost);
      below += size * size;
    }
    return above / below;
  }
}

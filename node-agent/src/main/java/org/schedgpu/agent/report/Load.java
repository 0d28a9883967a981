package org.schedgpu.agent.report;

import java.util.OptionalInt;
import org.schedgpu.agent.history.DeviceSample;

/**
 * A device in a slot of time: the maximum of each value, but the sum of the utilisation.
 *
 * @param nvmlUsedBytes null: unknown
 * @param looks number of samples with a known utilisation
 */
record Load(
    long totalBytes,
    long grantedBytes,
    long inUseBytes,
    Long nvmlUsedBytes,
    long utilisationSum,
    int looks,
    long jobs,
    long waiting) {
  static Load of(DeviceSample sample) {
    OptionalInt utilisation = sample.utilisationPercent();
    return new Load(
        sample.totalBytes(),
        sample.reservedBytes(),
        sample.inUseBytes(),
        sample.nvmlUsedBytes().isPresent() ? sample.nvmlUsedBytes().getAsLong() : null,
        utilisation.orElse(0),
        utilisation.isPresent() ? 1 : 0,
        sample.jobs(),
        sample.waiting());
  }

  Load and(Load other) {
    return new Load(
        Math.max(totalBytes, other.totalBytes),
        Math.max(grantedBytes, other.grantedBytes),
        Math.max(inUseBytes, other.inUseBytes),
        most(nvmlUsedBytes, other.nvmlUsedBytes),
        utilisationSum + other.utilisationSum,
        looks + other.looks,
        Math.max(jobs, other.jobs),
        Math.max(waiting, other.waiting));
  }

  Long utilisationPercent() {
    return looks == 0 ? null : Math.round((double) utilisationSum / looks);
  }

  private static Long most(Long one, Long other) {
    if (one == null || other == null) {
      return one == null ? other : one;
    }
    return Math.max(one, other);
  }
}

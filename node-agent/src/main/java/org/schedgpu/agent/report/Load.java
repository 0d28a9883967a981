package org.schedgpu.agent.report;

import java.util.OptionalInt;
import org.schedgpu.agent.history.DeviceSample;

/**
 * A device in a slot of time: the maximum of each value, but the sum of the utilisation.
 *
 * @param nvmlUsedBytes null: unknown
 * @param looks number of samples with a known utilisation
 * @param lanes null: unknown, as {@code waitingTurns}
 */
record Load(
    long totalBytes,
    long grantedBytes,
    long inUseBytes,
    Long nvmlUsedBytes,
    long utilisationSum,
    int looks,
    long jobs,
    long waiting,
    Long lanes,
    Long waitingTurns) {
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
        sample.waiting(),
        orNull(sample.lanes()),
        orNull(sample.waitingTurns()));
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
        Math.max(waiting, other.waiting),
        most(lanes, other.lanes),
        most(waitingTurns, other.waitingTurns));
  }

  Long utilisationPercent() {
    return looks == 0 ? null : Math.round((double) utilisationSum / looks);
  }

  private static Long orNull(OptionalInt value) {
    return value.isPresent() ? (long) value.getAsInt() : null;
  }

  private static Long most(Long one, Long other) {
    if (one == null || other == null) {
      return one == null ? other : one;
    }
    return Math.max(one, other);
  }
}

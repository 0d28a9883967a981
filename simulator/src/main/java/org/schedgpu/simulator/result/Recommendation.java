package org.schedgpu.simulator.result;

import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The recommendation from the figures.
 *
 * @param name of the scenario; null if none can be recommended
 * @param reason a sentence
 */
public record Recommendation(String name, String reason) {
  /**
   * Among the scenarios that gain with 95 % certainty, and whose gain is within the uncertainty of
   * the largest gain: the one with the fewest jobs that lose.
   *
   * @param summaries the first is that of one job per GPU
   */
  public static Recommendation of(List<Summary> summaries) {
    List<Summary> shared = summaries.stream().filter(s -> s.gain() != null).toList();
    if (shared.isEmpty()) {
      return new Recommendation(null, "nothing was played beside one job per GPU.");
    }
    if (!shared.get(0).gain().hasInterval()) {
      return new Recommendation(
          null,
          String.format(
              Locale.ROOT,
              "the jobs are of %d days; %d are needed to know how certain a gain is.",
              shared.get(0).gain().days(),
              Gain.FEWEST_DAYS));
    }
    Optional<Summary> best =
        shared.stream()
            .filter(s -> s.neverEnded() == 0 && s.gain().lowPercent() > 0)
            .max(Comparator.comparingDouble(s -> s.gain().percent()));
    return best.map(largest -> among(shared, largest))
        .orElseGet(
            () ->
                new Recommendation(
                    summaries.get(0).name(), "no other configuration gains with 95 % certainty."));
  }

  private static Recommendation among(List<Summary> shared, Summary largest) {
    Summary chosen =
        shared.stream()
            .filter(s -> s.neverEnded() == 0 && s.gain().lowPercent() > 0)
            .filter(s -> s.gain().percent() >= largest.gain().lowPercent())
            .min(
                Comparator.comparingDouble(Summary::losePercent)
                    .thenComparing(s -> -s.gain().percent()))
            .orElse(largest);
    return new Recommendation(
        chosen.name(),
        String.format(
            Locale.ROOT,
            "jobs end %.1f %% sooner on average (95 %%: %.1f to %.1f); %.1f %% of them end later.",
            chosen.gain().percent(),
            chosen.gain().lowPercent(),
            chosen.gain().highPercent(),
            chosen.losePercent()));
  }
}

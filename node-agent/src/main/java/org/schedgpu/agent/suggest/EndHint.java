package org.schedgpu.agent.suggest;

import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.schedgpu.agent.text.Texts;
import org.schedgpu.jna.Refusals;

/**
 * What a user is told at the end of a job: only if the next run should ask for something else. The
 * SPANK plugin says the same in C (spank-plugin-c/end_hint.c).
 */
public final class EndHint {
  /** More than 1.5 times what was used is worth a line, if that much is saved. */
  private static final double MUCH = 1.5;

  private EndHint() {}

  /**
   * What a job asked for and used.
   *
   * @param device of which it used most
   * @param askedBytes its budget there; 0: none, and there is nothing to say
   * @param usedBytes most that it used there at once, one CUDA context left out
   * @param largestBytes budget that the device can give
   */
  public record Use(
      int device,
      long askedBytes,
      long usedBytes,
      long waitedNs,
      Refusals refusals,
      long largestBytes) {}

  /**
   * The line, without "schedgpu: " before it.
   *
   * @param job its reference
   * @param option that takes a budget, up to the size
   */
  public static Optional<String> of(String job, Use use, String option) {
    return advice(use, option)
        .map(
            advice ->
                "%s used at most %s of %s asked on device %d%s%s"
                    .formatted(
                        job,
                        Texts.size(Math.max(0, use.usedBytes())),
                        Texts.size(use.askedBytes()),
                        use.device(),
                        waited(use.waitedNs()),
                        advice));
  }

  private static Optional<String> advice(Use use, String option) {
    if (use.askedBytes() == 0) {
      return Optional.empty();
    }
    return use.refusals().any() ? Optional.of(afterRefusals(use, option)) : byUse(use, option);
  }

  /** Its use is no more than what it could get. */
  private static String afterRefusals(Use use, String option) {
    Refusals refused = use.refusals();
    long enough = Suggestion.budgetFor(Math.max(0, use.usedBytes()) + refused.largestBytes());
    return ", and %s %s; %s"
        .formatted(
            refused.count() == 1
                ? "1 allocation was refused, of"
                : refused.count() + " allocations were refused, the largest of",
            Texts.size(refused.largestBytes()),
            enough <= use.largestBytes()
                ? option + Suggestion.typed(enough) + " or more would do"
                : "the device can give " + Texts.size(use.largestBytes()));
  }

  private static Optional<String> byUse(Use use, String option) {
    long enough = Suggestion.budgetFor(use.usedBytes());
    boolean tooLittle = use.usedBytes() > use.askedBytes();
    boolean tooMuch = use.askedBytes() > use.usedBytes() * MUCH && enough < use.askedBytes();
    if (use.usedBytes() <= 0 || !(tooLittle || tooMuch)) {
      return Optional.empty();
    }
    return Optional.of(
        "; %s%s would %s"
            .formatted(
                option, Suggestion.typed(enough), tooLittle ? "spare it the wait for more" : "do"));
  }

  private static String waited(long waitedNs) {
    long seconds = TimeUnit.NANOSECONDS.toSeconds(waitedNs);
    return seconds > 0 ? ", waited " + seconds + " s" : "";
  }
}

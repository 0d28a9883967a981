package org.schedgpu.agent.suggest;

import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.schedgpu.agent.Texts;

/**
 * What a user is told at the end of a job: only if the next run should ask for something else. The
 * SPANK plugin says the same in C (spank-plugin-c/end_hint.c).
 */
public final class EndHint {
  /** More than 1.5 times what was used is worth a line, if that much is saved. */
  private static final double MUCH = 1.5;

  private EndHint() {}

  /**
   * The line, without "schedgpu: " before it.
   *
   * @param job its reference
   * @param device of which it used most
   * @param askedBytes its budget there; 0: none, and there is nothing to say
   * @param usedBytes most that it used there at once, one CUDA context left out
   * @param option that takes a budget, up to the size
   */
  public static Optional<String> of(
      String job, int device, long askedBytes, long usedBytes, long waitedNs, String option) {
    long enough = Suggestion.budgetFor(usedBytes);
    boolean tooLittle = usedBytes > askedBytes;
    boolean tooMuch = askedBytes > usedBytes * MUCH && enough < askedBytes;
    if (askedBytes == 0 || usedBytes <= 0 || !(tooLittle || tooMuch)) {
      return Optional.empty();
    }
    long waitedSeconds = TimeUnit.NANOSECONDS.toSeconds(waitedNs);
    return Optional.of(
        "%s used at most %s of %s asked on device %d%s; %s%s would %s"
            .formatted(
                job,
                Texts.size(usedBytes),
                Texts.size(askedBytes),
                device,
                waitedSeconds > 0 ? ", waited " + waitedSeconds + " s" : "",
                option,
                Suggestion.typed(enough),
                tooLittle ? "spare it the wait for more" : "do"));
  }
}

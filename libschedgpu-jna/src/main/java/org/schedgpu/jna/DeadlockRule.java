package org.schedgpu.jna;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** What happens when a job that holds memory asks for more (enum schedgpu_deadlock_rule). */
public enum DeadlockRule {
  /** The core refuses a wait that would close a cycle. */
  DETECT(0),
  /** In addition, jobs with a declared budget get more only if all of them can still finish. */
  AVOID(1);

  private final int number;

  DeadlockRule(int number) {
    this.number = number;
  }

  /** The C value. */
  public int number() {
    return number;
  }

  /** The name that users write. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  public static Optional<DeadlockRule> of(long number) {
    return Arrays.stream(values()).filter(rule -> rule.number == number).findFirst();
  }

  /** The rule that users call {@code text}, in any case. */
  public static Optional<DeadlockRule> of(String text) {
    return Arrays.stream(values()).filter(r -> r.text().equalsIgnoreCase(text)).findFirst();
  }
}

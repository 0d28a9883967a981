package org.schedgpu.jna;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** What is done about jobs that hold memory and ask for more (enum schedgpu_deadlock_rule). */
public enum DeadlockRule {
  /** A wait that closes a cycle is refused when it would begin. */
  DETECT(0),
  /** And jobs with a declared budget get more only while all of them could still finish. */
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

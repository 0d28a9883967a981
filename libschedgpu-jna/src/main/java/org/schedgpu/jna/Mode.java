package org.schedgpu.jna;

import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** When a job's memory is reserved (enum schedgpu_mode). */
public enum Mode {
  /** The whole budget at the first allocation. */
  PEAK(1),
  /** Each allocation by itself. */
  ONDEMAND(2),
  /** The whole budget before the job's first task starts. */
  GATE(3);

  private static final List<Mode> ALL = List.of(values());

  private final int number;
  private final String text;

  Mode(int number) {
    this.number = number;
    this.text = name().toLowerCase(Locale.ROOT);
  }

  /** The C value. */
  public int number() {
    return number;
  }

  /** The name that users write. */
  public String text() {
    return text;
  }

  public static Optional<Mode> of(long number) {
    for (Mode mode : ALL) { // kept, because callers ask for each job of a full node
      if (mode.number == number) {
        return Optional.of(mode);
      }
    }
    return Optional.empty();
  }

  /** The mode that users call {@code text}, in any case. */
  public static Optional<Mode> of(String text) {
    return ALL.stream().filter(m -> m.text.equalsIgnoreCase(text)).findFirst();
  }
}

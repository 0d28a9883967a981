package org.schedgpu.jna;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** When a job's memory is reserved (enum schedgpu_mode). */
public enum Mode {
  /** The whole budget at the first allocation. */
  PEAK(1),
  /** Each allocation as it comes. */
  ONDEMAND(2),
  /** The whole budget before the job's first task starts. */
  GATE(3);

  private final int number;

  Mode(int number) {
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

  public static Optional<Mode> of(long number) {
    return Arrays.stream(values()).filter(mode -> mode.number == number).findFirst();
  }

  /** The mode that users call {@code text}, in any case. */
  public static Optional<Mode> of(String text) {
    return Arrays.stream(values()).filter(m -> m.text().equalsIgnoreCase(text)).findFirst();
  }
}

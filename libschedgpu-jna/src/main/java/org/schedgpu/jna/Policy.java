package org.schedgpu.jna;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** Which waiter is next (enum schedgpu_policy). */
public enum Policy {
  FIFO(0),
  MMU(1),
  PRIORITY_FIFO(2),
  PRIORITY_MMU(3),
  HPFW(4),
  SM_HPFW(5),
  RBDM(6),
  RBDM_HPFW(7),
  RBDM_SM_HPFW(8);

  private final int number;

  Policy(int number) {
    this.number = number;
  }

  /** The name that users write: {@code priority-fifo}. */
  public String text() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** The C value. */
  public int number() {
    return number;
  }

  public static Optional<Policy> of(long number) {
    return Arrays.stream(values()).filter(policy -> policy.number == number).findFirst();
  }

  /** The policy that users call {@code text}, in any case. */
  public static Optional<Policy> of(String text) {
    return Arrays.stream(values()).filter(p -> p.text().equalsIgnoreCase(text)).findFirst();
  }
}

package org.schedgpu.estimate;

import java.math.BigDecimal;
import java.math.BigInteger;

/**
 * The value of an expression: an integer, a floating-point number, or unknown.
 *
 * @param integer null if it is not an integer
 * @param real null if it is not a floating-point number
 * @param why why it is unknown; null if it is known
 */
record Value(BigInteger integer, Double real, String why) {
  /** The limit on sizes and counts; real ones are smaller. */
  private static final int MAX_BITS = 63;

  static Value of(long number) {
    return new Value(BigInteger.valueOf(number), null, null);
  }

  static Value of(boolean truth) {
    return of(truth ? 1 : 0);
  }

  /** The number, or unknown if it needs more than 63 bits. */
  static Value of(BigInteger number) {
    return number.bitLength() > MAX_BITS
        ? unknown("a result is larger than 2^63")
        : new Value(number, null, null);
  }

  static Value real(double number) {
    return Double.isFinite(number)
        ? new Value(null, number, null)
        : unknown("a result is not a finite number");
  }

  static Value unknown(String why) {
    return new Value(null, null, why);
  }

  boolean isKnown() {
    return why == null;
  }

  boolean isInteger() {
    return integer != null;
  }

  /** True if it is known and not zero. */
  boolean isTrue() {
    return isInteger() ? integer.signum() != 0 : real != null && real != 0;
  }

  /** As a floating-point number; only of a known value. */
  double number() {
    return isInteger() ? integer.doubleValue() : real;
  }

  /** As an integer, truncated towards zero as C does; unknown stays unknown. */
  Value truncated() {
    return real == null ? this : of(new BigDecimal(real).toBigInteger());
  }
}

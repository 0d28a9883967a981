package org.schedgpu.gpucheck;

import java.util.Locale;

/** The outcome of a check. */
enum Outcome {
  /** The result is as expected. */
  PASSED,
  /** The result is not as expected, or missing. */
  FAILED,
  /** A figure without an expected value. */
  MEASURED,
  /** The check could not run here; the result says why. */
  SKIPPED,
  /** The time was over before it began or ended. */
  NOT_DONE;

  /** The word in {@code result.json}. */
  String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The word in tables, at most four letters. */
  String mark() {
    return switch (this) {
      case PASSED -> "pass";
      case FAILED -> "FAIL";
      case MEASURED -> "info";
      case SKIPPED -> "skip";
      case NOT_DONE -> "time";
    };
  }
}

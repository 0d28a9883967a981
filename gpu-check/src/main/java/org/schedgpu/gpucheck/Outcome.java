package org.schedgpu.gpucheck;

import java.util.Locale;

/** How a check ended. */
enum Outcome {
  /** What was expected came out. */
  PASSED,
  /** Something else came out, or nothing. */
  FAILED,
  /** A figure that nothing is expected of. */
  MEASURED,
  /** It could not run here; the result says why. */
  SKIPPED;

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
    };
  }
}

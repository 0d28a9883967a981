package org.schedgpu.jna;

import java.util.Locale;

/**
 * A figure of a job that only grows while the job runs; a row says all of it. The core counts it
 * ({@code SG_JOB_FIGURES} of core/layout/region.h), and the records of running and of ended jobs
 * have it as a field. The history has it as a column, JSON as a key.
 */
public enum JobFigure {
  /** Nanoseconds in which any of its requests waited, in waits that are over. */
  WAITED("waited_ns"),

  /** The number of these waits. */
  WAITS("waits"),

  /** Nanoseconds in which it held memory of any device. */
  HELD("held_ns");

  private final String field;

  JobFigure(String field) {
    this.field = field;
  }

  /** Its name in the region and in the history: with its unit, if it has one. */
  public String field() {
    return field;
  }

  /** Its name in JSON: {@code waitedNs}. */
  public String key() {
    String[] words = field.split("_", -1);
    StringBuilder key = new StringBuilder(words[0]);
    for (int i = 1; i < words.length; i++) {
      key.append(words[i].substring(0, 1).toUpperCase(Locale.ROOT)).append(words[i].substring(1));
    }
    return key.toString();
  }
}

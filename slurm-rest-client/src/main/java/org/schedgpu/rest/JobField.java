package org.schedgpu.rest;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** A field of a job that has no meaning for Slurm itself: free text. */
public enum JobField {
  /** Anybody's who may change the job. */
  COMMENT,
  /** For administrators to write. */
  ADMIN_COMMENT,
  /** From Slurm 23.02 on. */
  EXTRA;

  /** As Slurm writes it. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The field that Slurm calls this, in any case. */
  public static Optional<JobField> of(String text) {
    return Arrays.stream(values()).filter(field -> field.text().equalsIgnoreCase(text)).findFirst();
  }
}

package org.schedgpu.rest;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** A field of a job with free text that has no meaning for Slurm itself. */
public enum JobField {
  /** For every user who may change the job. */
  COMMENT,
  /** Only administrators may write it. */
  ADMIN_COMMENT,
  /** From Slurm 23.02 on. */
  EXTRA;

  /** As Slurm writes it. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The field with this name in Slurm, in any case. */
  public static Optional<JobField> of(String text) {
    return Arrays.stream(values()).filter(field -> field.text().equalsIgnoreCase(text)).findFirst();
  }
}

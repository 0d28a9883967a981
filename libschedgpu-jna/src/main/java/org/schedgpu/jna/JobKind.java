package org.schedgpu.jna;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** Where a job id comes from (enum schedgpu_job_kind). */
public enum JobKind {
  SLURM(1),
  RUN(2),
  /** Stands in for living processes whose records were lost, until they say what they hold. */
  UNKNOWN(3);

  private final int number;

  JobKind(int number) {
    this.number = number;
  }

  /** The C value. */
  public int number() {
    return number;
  }

  /**
   * The first part of {@code SCHEDGPU_JOB}: {@code slurm} or {@code run}; {@code unknown} never is.
   */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  public static Optional<JobKind> of(long number) {
    return Arrays.stream(values()).filter(kind -> kind.number == number).findFirst();
  }
}

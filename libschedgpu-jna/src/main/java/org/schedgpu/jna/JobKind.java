package org.schedgpu.jna;

import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Where a job id comes from (enum schedgpu_job_kind). */
public enum JobKind {
  SLURM(1),
  RUN(2),
  /** Stands for live processes whose records were lost, until they report what they hold. */
  UNKNOWN(3);

  private static final List<JobKind> ALL = List.of(values());

  private final int number;
  private final String text;

  JobKind(int number) {
    this.number = number;
    this.text = name().toLowerCase(Locale.ROOT);
  }

  /** The C value. */
  public int number() {
    return number;
  }

  /**
   * The first part of {@code SCHEDGPU_JOB}: {@code slurm} or {@code run}, never {@code unknown}.
   */
  public String text() {
    return text;
  }

  public static Optional<JobKind> of(long number) {
    for (JobKind kind : ALL) { // kept, because callers ask for each job of a full node
      if (kind.number == number) {
        return Optional.of(kind);
      }
    }
    return Optional.empty();
  }
}

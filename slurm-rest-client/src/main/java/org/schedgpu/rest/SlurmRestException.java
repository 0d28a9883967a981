package org.schedgpu.rest;

/** slurmrestd could not be asked, or said no. The message names the address and what it said. */
public final class SlurmRestException extends Exception {
  private static final long serialVersionUID = 1L;

  /** Slurm's numbers (slurm_errno.h), as the message has them. */
  private static final String ALREADY_FINISHED = "(2084)";

  private static final String INVALID_JOB = "(2017)";

  /** What kind of failure, for who wants to try something else. */
  public enum Kind {
    /** Nobody listens there. */
    UNREACHABLE,
    /** No whole answer in time. */
    TIMED_OUT,
    /** The token or user was refused. */
    UNAUTHORIZED,
    /** slurmrestd serves no version that this client speaks, or not what was asked for. */
    UNSUPPORTED,
    /** Slurm refused: the message says what it said. */
    REFUSED,
    /** What came is no answer of slurmrestd: cut off, no JSON. */
    MALFORMED
  }

  private final Kind kind;

  /**
   * A failure.
   *
   * @param message with the address and what the server said
   */
  public SlurmRestException(Kind kind, String message) {
    super(message);
    this.kind = kind;
  }

  SlurmRestException(Kind kind, String message, Throwable cause) {
    super(message, cause);
    this.kind = kind;
  }

  /** Whether Slurm refused because the job is over, or forgotten. */
  public boolean isJobOver() {
    return kind == Kind.REFUSED
        && (getMessage().contains(ALREADY_FINISHED) || getMessage().contains(INVALID_JOB));
  }

  /** What kind of failure it was. */
  public Kind kind() {
    return kind;
  }
}

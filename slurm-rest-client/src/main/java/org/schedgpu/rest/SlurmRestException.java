package org.schedgpu.rest;

/**
 * slurmrestd could not be reached, or refused. The message has the address and slurmrestd's
 * message.
 */
public final class SlurmRestException extends Exception {
  private static final long serialVersionUID = 1L;

  /** Slurm's error numbers (slurm_errno.h), as in the message. */
  private static final String ALREADY_FINISHED = "(2084)";

  private static final String INVALID_JOB = "(2017)";

  /** The kind of failure, for callers that want to try another way. */
  public enum Kind {
    /** Nobody listens there. */
    UNREACHABLE,
    /** No complete answer in time. */
    TIMED_OUT,
    /** The token or user was refused. */
    UNAUTHORIZED,
    /** slurmrestd serves no version that this client supports, or lacks the requested function. */
    UNSUPPORTED,
    /** Slurm refused; the message has its text. */
    REFUSED,
    /** The answer does not come from slurmrestd, or is cut off or not JSON. */
    MALFORMED
  }

  private final Kind kind;

  /**
   * A failure.
   *
   * @param message with the address and the server's message
   */
  public SlurmRestException(Kind kind, String message) {
    super(message);
    this.kind = kind;
  }

  SlurmRestException(Kind kind, String message, Throwable cause) {
    super(message, cause);
    this.kind = kind;
  }

  /** True if Slurm refused because the job is over, or no longer known. */
  public boolean isJobOver() {
    return kind == Kind.REFUSED
        && (getMessage().contains(ALREADY_FINISHED) || getMessage().contains(INVALID_JOB));
  }

  /** The kind of failure. */
  public Kind kind() {
    return kind;
  }
}

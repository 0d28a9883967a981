package org.schedgpu.rest;

/** slurmrestd could not be asked, or said no. The message names the address and what it said. */
public final class SlurmRestException extends Exception {
  private static final long serialVersionUID = 1L;

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

  SlurmRestException(Kind kind, String message) {
    super(message);
    this.kind = kind;
  }

  SlurmRestException(Kind kind, String message, Throwable cause) {
    super(message, cause);
    this.kind = kind;
  }

  /** What kind of failure it was. */
  public Kind kind() {
    return kind;
  }
}

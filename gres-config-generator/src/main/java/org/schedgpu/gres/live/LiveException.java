package org.schedgpu.gres.live;

import org.schedgpu.gres.common.GresException;

/** A request to Slurm failed; the message contains Slurm's own message. */
public final class LiveException extends GresException {
  private static final long serialVersionUID = 1L;

  /**
   * @param problem what could not be done, and what Slurm said
   * @param action what to do about it
   */
  public LiveException(String problem, String action) {
    this(problem, action, null);
  }

  /**
   * @param problem what could not be done, and what Slurm said
   * @param action what to do about it
   * @param cause where the problem comes from, or null
   */
  public LiveException(String problem, String action, Throwable cause) {
    super(problem, action, cause);
  }
}

package org.schedgpu.gres.common;

/**
 * An error in a plan, its facts or the files, with what to do about it. The message has the form
 * {@code schedgpu gres: what is wrong, with the value: what to do}, on one line, ready to be shown.
 */
public class GresException extends RuntimeException {
  private static final long serialVersionUID = 1L;
  private static final String COMPONENT = "schedgpu gres: ";

  private final String problem;
  private final String action;

  /**
   * @param problem what is wrong, with the value
   * @param action what to do about it
   */
  public GresException(String problem, String action) {
    this(problem, action, null);
  }

  /**
   * @param problem what is wrong, with the value
   * @param action what to do about it
   * @param cause the original exception, or null
   */
  public GresException(String problem, String action, Throwable cause) {
    super(COMPONENT + problem + ": " + action, cause);
    this.problem = problem;
    this.action = action;
  }

  /** The same problem with its place in front: {@code facts file gpu1.json}. */
  public GresException in(String place) {
    return new GresException(place + ", " + problem, action, this);
  }
}

package org.schedgpu.agent.problem;

/**
 * One result of {@code schedgpu doctor}.
 *
 * @param what the subject in one word: {@code region}
 * @param text what was found, or what is missing
 * @param todo what to do about it; "" if all is well
 */
public record Finding(String what, boolean ok, String text, String todo) {
  /** A good result. */
  public static Finding ok(String what, String text) {
    return new Finding(what, true, text, "");
  }

  /** A problem, and what to do about it. */
  public static Finding problem(String what, String text, String todo) {
    return new Finding(what, false, text, todo);
  }
}

package org.schedgpu.agent;

/**
 * One thing that {@code schedgpu doctor} looked at.
 *
 * @param what in one word: {@code region}
 * @param text what is there, or what is missing
 * @param todo what to do about it; "" if all is well
 */
record Finding(String what, boolean ok, String text, String todo) {
  static Finding ok(String what, String text) {
    return new Finding(what, true, text, "");
  }

  static Finding problem(String what, String text, String todo) {
    return new Finding(what, false, text, todo);
  }
}

package org.schedgpu.model;

/** The steps of a history that did something, one per line, with what was answered. */
final class Story {
  private final boolean told;
  private final StringBuilder lines = new StringBuilder();
  private Object next = "";

  private Story(boolean told) {
    this.told = told;
  }

  /** Keeps what happens. */
  static Story told() {
    return new Story(true);
  }

  /** Keeps nothing: for the many runs that find nothing. */
  static Story untold() {
    return new Story(false);
  }

  /** What is done next; its text is asked for only if the story is told. */
  void next(Object what) {
    next = what;
  }

  void answered(String answer) {
    if (told) {
      lines.append("  ").append(next).append(": ").append(answer).append('\n');
    }
  }

  void ends(String how) {
    lines.append("  => ").append(how).append('\n');
  }

  @Override
  public String toString() {
    return lines.toString();
  }
}

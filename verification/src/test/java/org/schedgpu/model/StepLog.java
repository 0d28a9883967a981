package org.schedgpu.model;

/** The steps of a history that did something, one per line, with what was answered. */
final class StepLog {
  private final boolean written;
  private final StringBuilder lines = new StringBuilder();
  private Object next = "";

  private StepLog(boolean written) {
    this.written = written;
  }

  /** Keeps what happens. */
  static StepLog written() {
    return new StepLog(true);
  }

  /** Keeps nothing: for the many runs that find nothing. */
  static StepLog untold() {
    return new StepLog(false);
  }

  /** What is done next; its text is asked for only if the story is told. */
  void next(Object what) {
    next = what;
  }

  void answered(String answer) {
    if (written) {
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

package org.schedgpu.model;

/** The steps of a history that had an effect, one per line, with their answers. */
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

  /** A log that keeps nothing, for the many runs that find no difference. */
  static StepLog discarding() {
    return new StepLog(false);
  }

  /** Notes the next step. Its text is computed only if the log is kept. */
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

package org.schedgpu.gpucheck;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Collects the findings of one section and shows each at once. Thread-safe. */
final class Findings {
  private final String section;
  private final Consumer<Finding> show;
  private final List<Finding> all = new ArrayList<>();

  Findings(String section, Consumer<Finding> show) {
    this.section = section;
    this.show = show;
  }

  synchronized List<Finding> all() {
    return List.copyOf(all);
  }

  void passed(String check, String result, Map<String, ?> figures) {
    add(check, Outcome.PASSED, result, figures);
  }

  void failed(String check, String result) {
    add(check, Outcome.FAILED, result, Map.of());
  }

  /** The check stopped: failed, unless its time was over. */
  void broken(String check, CheckException problem) {
    if (problem instanceof OutOfTime) {
      notDone(check, problem.getMessage());
    } else {
      failed(check, problem.getMessage());
    }
  }

  /** The time was over; {@code why} may say what was going on. */
  void notDone(String check, String why) {
    add(check, Outcome.NOT_DONE, "not done: " + why, Map.of());
  }

  void skipped(String check, String reason) {
    add(check, Outcome.SKIPPED, reason, Map.of());
  }

  void measured(String check, String result, Map<String, ?> figures) {
    add(check, Outcome.MEASURED, result, figures);
  }

  /** Passed if {@code holds}, else failed. */
  void judged(String check, boolean holds, String result, Map<String, ?> figures) {
    add(check, holds ? Outcome.PASSED : Outcome.FAILED, result, figures);
  }

  private synchronized void add(
      String check, Outcome outcome, String result, Map<String, ?> figures) {
    Finding finding = new Finding(section, check, outcome, result, Map.copyOf(figures));
    all.add(finding);
    show.accept(finding);
  }
}

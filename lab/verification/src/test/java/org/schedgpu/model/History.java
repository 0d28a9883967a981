package org.schedgpu.model;

import java.util.List;

/** A node and the steps on it. */
record History(NodeSpec node, List<Action> actions) {

  /**
   * Runs the steps, compares after each of them, and lets everything end. A difference is reported
   * with the steps.
   */
  void run(Coverage coverage) {
    try {
      run(coverage, StepLog.discarding());
    } catch (Difference difference) {
      History smallest = new Shrinker(History::fails).shrink(this);
      throw new AssertionError(
          String.format(
              "model and core differ (%d steps, shrunk to %d)%n%s%s",
              actions.size(), smallest.actions.size(), smallest.head(), smallest.tell()),
          difference);
    }
  }

  private boolean fails() {
    try {
      run(new Coverage(), StepLog.discarding());
      return false;
    } catch (Difference difference) {
      return true;
    }
  }

  private void run(Coverage coverage, StepLog log) {
    try (ModelAndCore both = new ModelAndCore(node, coverage, log)) {
      for (Action action : actions) {
        log.next(action);
        action.on(both);
      }
      coverage.ended(new HistoryEnd(both, log).letAllEnd());
    }
  }

  private String tell() {
    StepLog log = StepLog.written();
    try {
      run(new Coverage(), log);
      log.ends("not again: it depends on more than this history");
    } catch (Difference again) {
      log.ends(again.getMessage());
    }
    return log.toString();
  }

  private String head() {
    StringBuilder head = new StringBuilder("  node: ");
    for (DeviceSpec device : node.devices()) {
      head.append(
          String.format(
              "[%s, reserved %s, context %s] ",
              Action.size(device.totalBytes()),
              Action.size(device.reservedBytes()),
              Action.size(device.contextBytes())));
    }
    head.append(
        String.format(
            "%s, overtake limit %d, grace %d ns, %s%n",
            node.policy(), node.overtakeLimit(), node.graceNs(), node.rule()));
    return head.toString();
  }

  /** Short, because jqwik prints it beside the whole log. */
  @Override
  public String toString() {
    return actions.size() + " actions";
  }
}

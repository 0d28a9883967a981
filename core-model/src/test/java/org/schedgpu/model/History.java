package org.schedgpu.model;

import java.util.List;

/** A node, and what happens on it. */
record History(NodeSpec node, List<Action> actions) {

  /** Runs it, compares after every step, and lets all end; a difference is told with the steps. */
  void run(Coverage coverage) {
    StringBuilder steps = new StringBuilder();
    try {
      run(coverage, new StringBuilder(0), false);
    } catch (Difference difference) {
      tell(steps);
      throw new AssertionError(difference.getMessage() + "\n" + this.headed(steps), difference);
    }
  }

  private void run(Coverage coverage, StringBuilder steps, boolean told) {
    try (Twin twin = new Twin(node, coverage)) {
      for (Action action : actions) {
        step(action, twin, steps, told);
      }
      twin.clearLast();
      twin.letAllEnd(node.graceNs() + 1);
    }
  }

  private static void step(Action action, Twin twin, StringBuilder steps, boolean told) {
    twin.clearLast();
    try {
      action.on(twin);
    } finally {
      if (told && !twin.last().isEmpty()) {
        steps.append("  ").append(action).append(": ").append(twin.last()).append('\n');
      }
    }
  }

  private void tell(StringBuilder steps) {
    try {
      run(new Coverage(), steps, true);
    } catch (Difference again) {
      steps.append("  => ").append(again.getMessage()).append('\n');
    }
  }

  private String headed(StringBuilder steps) {
    StringBuilder head = new StringBuilder("  node: ");
    for (DeviceSpec device : node.devices()) {
      head.append(
          String.format(
              "[%d units, %d reserved, context %d] ",
              device.totalBytes() / Units.UNIT_BYTES,
              device.reservedBytes() / Units.UNIT_BYTES,
              device.contextBytes() / Units.UNIT_BYTES));
    }
    head.append(
        String.format(
            "%s, overtake limit %d, grace %d ns, %s%n",
            node.policy(), node.overtakeLimit(), node.graceNs(), node.rule()));
    return head.append(steps).toString();
  }

  /** Short: what jqwik prints beside the whole story. */
  @Override
  public String toString() {
    return actions.size() + " actions";
  }
}

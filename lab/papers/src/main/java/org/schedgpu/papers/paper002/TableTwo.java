package org.schedgpu.papers.paper002;

import java.util.ArrayList;
import java.util.List;
import org.schedgpu.jna.Policy;
import org.schedgpu.papers.common.Part;
import org.schedgpu.papers.common.Row;
import org.schedgpu.papers.common.Table;

/** Table 2: the order of twenty tasks by RBDM. */
final class TableTwo {
  /** The paper's column RBDM; tasks of one number were served at about the same time. */
  private static final int[] PAPER = {
    3, 1, 4, 3, 2, 6, 4, 5, 8, 9, 7, 7, 7, 11, 12, 10, 13, 11, 14, 15
  };

  private final List<Task> tasks = Task.ofTableTwo();
  private final List<Integer> order;

  TableTwo(Policy rbdm) {
    order = Device.order(tasks, rbdm);
  }

  /** The place of a task in our order, from 1. */
  private int place(Task task) {
    return order.indexOf(task.number()) + 1;
  }

  /** Pairs of tasks that the paper has in one order and we in the other. */
  int reversedPairs() {
    int reversed = 0;
    for (Task one : tasks) {
      for (Task other : tasks) {
        boolean paper = PAPER[one.number() - 1] < PAPER[other.number() - 1];
        reversed += paper && place(one) > place(other) ? 1 : 0;
      }
    }
    return reversed;
  }

  Part part() {
    List<Row> rows =
        List.of(
            Row.ofShape(
                "pairs of tasks in the other order",
                "0",
                Integer.toString(reversedPairs()),
                reversedPairs() == 0,
                "The paper gives some tasks of one cycle, or of two neighbouring ones, the same"
                    + " number; ours are all different."));
    List<List<String>> each = new ArrayList<>();
    for (Task task : tasks) {
      each.add(
          List.of(
              "t" + task.number(),
              Integer.toString(task.priority()),
              Integer.toString(task.memoryMb()),
              Integer.toString(PAPER[task.number() - 1]),
              Integer.toString(place(task))));
    }
    return new Part(
        "002",
        "Table 2: twenty tasks by RBDM",
        List.of(
            "The twenty tasks wait for a full device, and the core's policy `rbdm` serves them one"
                + " after the other. One task arrives in each cycle; with the priorities 75, 50 and"
                + " 25 it is ready after 2, 3 or 6 cycles (Table 1 of the paper)."),
        List.of(
            Table.comparison("The order of Table 2", rows),
            new Table(
                "The tasks",
                List.of("Task", "Priority", "Memory (MB)", "Paper's RBDM", "Here"),
                each)),
        List.of(),
        rows);
  }
}

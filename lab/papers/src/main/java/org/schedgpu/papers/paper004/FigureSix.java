package org.schedgpu.papers.paper004;

import java.util.List;
import org.schedgpu.jna.LanePolicy;
import org.schedgpu.papers.common.Numbers;
import org.schedgpu.papers.common.Part;
import org.schedgpu.papers.common.Row;
import org.schedgpu.papers.common.Table;

/** Figure 6: two iterations that allocate step by step on 12 GB. */
final class FigureSix {
  private static final int CAPACITY_GB = 12;
  private static final long GB = 1_000_000_000L;

  /** The allocations of a job in GB: its model, then what one iteration needs. */
  private static final int[] STEPS = {1, 2, 2, 3};

  /**
   * Orders of allocations of two jobs.
   *
   * @param all how many there are
   * @param deadlocked how many of them end with both jobs waiting forever
   */
  record Orders(int all, int deadlocked) {
    Orders plus(Orders other) {
      return new Orders(all + other.all, deadlocked + other.deadlocked);
    }
  }

  private FigureSix() {}

  /** Every order, where a job that finds no memory waits. A job that is done gives all back. */
  static Orders ordersWithoutLanes() {
    return ordersAfter(0, 0);
  }

  private static Orders ordersAfter(int first, int second) {
    if (first == STEPS.length || second == STEPS.length) {
      return new Orders(1, 0); // it gives back what it has, and the other one goes on
    }
    int free = CAPACITY_GB - sum(first) - sum(second);
    Orders orders = new Orders(0, 0);
    boolean blocked = true;
    if (STEPS[first] <= free) {
      orders = orders.plus(ordersAfter(first + 1, second));
      blocked = false;
    }
    if (STEPS[second] <= free) {
      orders = orders.plus(ordersAfter(first, second + 1));
      blocked = false;
    }
    return blocked ? new Orders(1, 1) : orders;
  }

  /** The order of the figure: both jobs by turns. True if both then wait forever. */
  static boolean deadlocksByTurns() {
    int done = 0;
    while (done < STEPS.length && 2 * sum(done + 1) <= CAPACITY_GB) {
      done++;
    }
    return done < STEPS.length && STEPS[done] > CAPACITY_GB - 2 * sum(done);
  }

  private static int sum(int steps) {
    int sum = 0;
    for (int i = 0; i < steps; i++) {
      sum += STEPS[i];
    }
    return sum;
  }

  /** The two jobs in lanes, ten iterations each. */
  static LaneOutcome inLanes() {
    LaneJob.Memory memory = new LaneJob.Memory(GB, 7 * GB);
    LaneJob.Work work = LaneJob.Work.training(10, 0, GB);
    return LaneSimulation.play(
        List.of(LaneJob.of("A", 0, memory, work), LaneJob.of("B", 0, memory, work)),
        LaneSettings.of(CAPACITY_GB * GB, LanePolicy.FAIR));
  }

  static Part part() {
    Orders orders = ordersWithoutLanes();
    LaneOutcome lanes = inLanes();
    boolean deadlocks = deadlocksByTurns();
    List<Row> rows =
        List.of(
            Row.ofShape(
                "Figure 6, no lanes",
                "deadlock",
                deadlocks ? "deadlock" : "none",
                deadlocks,
                "Of the %d orders in which two jobs can allocate, %d end so."
                    .formatted(orders.all(), orders.deadlocked())),
            Row.ofShape(
                "Figure 6, with lanes",
                "none",
                lanes.makespanNs() > 0 ? "none" : "deadlock",
                lanes.makespanNs() > 0,
                "%d lane; both jobs keep 1 GB and share 7 GB: %s of 12 GB."
                    .formatted(
                        lanes.mostLanes(), Numbers.plain((double) lanes.mostBytes() / GB, 0))));
    return new Part(
        "004",
        "Figure 6: a deadlock of progressive allocations",
        List.of(
            "Two jobs of 1 GB persistent and 7 GB ephemeral memory, allocated by 2, 2 and 3 GB, on"
                + " 12 GB. A job that finds no memory waits."),
        List.of(Table.comparison("Two jobs", rows)),
        List.of(),
        rows);
  }
}

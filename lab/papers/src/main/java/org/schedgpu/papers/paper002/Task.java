package org.schedgpu.papers.paper002;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.schedgpu.papers.phases.PhasedJob;
import org.schedgpu.papers.phases.Step;

/**
 * A task of section 6: matrix multiplication.
 *
 * @param number 1, 2, ...: one arrives in each cycle
 * @param priority 3 (high), 2 (middle) or 1 (low)
 * @param memoryMb device memory that it needs
 */
record Task(int number, int priority, int memoryMb) {
  /** The K20M of the paper. */
  static final int DEVICE_MB = 4800;

  static final int HIGH = 3;
  static final int MIDDLE = 2;
  static final int LOW = 1;

  /**
   * From the arrival of a task to that of the next: the monitor of the paper (section 3.2) looks 10
   * seconds after a submission whether it succeeded.
   */
  static final double CYCLE_S = 10;

  /** Figure 3: the 16th task needs 867 MB and takes 1,530 s. */
  private static final double KNOWN_MB = 867;

  private static final double KNOWN_S = 1530;

  /** Work of n^3 on matrices of n^2. */
  private static final double GROWTH = 1.5;

  /** So that the core's RO, ceil(150 / priority), is that of Table 1: 2, 3 and 6 cycles. */
  private static final int PRIORITY_UNIT = 25;

  private static final long MB = 1_000_000;
  private static final double NS = 1e9;
  private static final int TASKS = 20;
  private static final int LEAST_MB = 191;
  private static final int MAX_MB = 3621;

  private static final int[][] TABLE_2 = {
    {1, 3421}, {3, 3137}, {1, 630}, {2, 1934}, {3, 2262}, {1, 3170}, {3, 412}, {3, 1047}, {1, 3621},
    {1, 2717}, {2, 2102}, {2, 1998}, {3, 986}, {1, 191}, {1, 2743}, {3, 2563}, {1, 1143}, {3, 527},
    {1, 2130}, {1, 727}
  };

  /** The twenty tasks of Table 2. */
  static List<Task> ofTableTwo() {
    List<Task> tasks = new ArrayList<>();
    for (int[] row : TABLE_2) {
      tasks.add(new Task(tasks.size() + 1, row[0], row[1]));
    }
    return tasks;
  }

  /** Twenty tasks with any priority, and any memory between the least and the most of Table 2. */
  static List<Task> random(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    List<Task> tasks = new ArrayList<>();
    while (tasks.size() < TASKS) {
      tasks.add(
          new Task(
              tasks.size() + 1,
              1 + random.nextInt(HIGH),
              LEAST_MB + random.nextInt(MAX_MB - LEAST_MB + 1)));
    }
    return tasks;
  }

  /** How long a task with so much memory runs when it is alone. */
  static double aloneS(double memoryMb) {
    return KNOWN_S * StrictMath.pow(memoryMb / KNOWN_MB, GROWTH);
  }

  /** The task as a job that computes on the device all the time that it has memory. */
  PhasedJob job() {
    return job((long) (aloneS(memoryMb) * NS));
  }

  /** The task as a job whose kernel takes so long. */
  PhasedJob job(long kernelNs) {
    long bytes = memoryMb * MB;
    return new PhasedJob(
        "t" + number,
        (long) ((number - 1) * CYCLE_S * NS),
        bytes,
        priority * PRIORITY_UNIT,
        List.of(new Step.Allocate(bytes), new Step.Kernel(kernelNs), new Step.Free(bytes)));
  }
}

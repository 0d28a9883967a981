package org.schedgpu.papers.paper002;

import java.awt.image.BufferedImage;
import java.util.List;
import java.util.stream.Collectors;
import org.schedgpu.jna.Policy;
import org.schedgpu.papers.common.Lines;
import org.schedgpu.papers.common.Part;
import org.schedgpu.papers.common.Picture;
import org.schedgpu.papers.common.Row;
import org.schedgpu.papers.common.Table;

/** Figures 3 to 5 (and 2): how time grows with memory, and who of a few waiters is woken first. */
final class WakeOrders {
  private static final int SMALL_MB = 200;
  private static final int BIG_MB = 3000;
  private static final int CURVE = 24;
  private static final double MB_OF_SIXTEENTH = 867;
  private static final double SIXTEENTH = 16;

  /** Figure 2: t(1,m), t(2,h), t(3,l). */
  private static final List<Task> FIGURE_2 =
      List.of(
          new Task(1, Task.MIDDLE, BIG_MB),
          new Task(2, Task.HIGH, BIG_MB),
          new Task(3, Task.LOW, BIG_MB));

  /** Figure 5: t(1,h,b), t(2,l,s), t(3,h,s). */
  private static final List<Task> FIGURE_5 =
      List.of(
          new Task(1, Task.HIGH, BIG_MB),
          new Task(2, Task.LOW, SMALL_MB),
          new Task(3, Task.HIGH, SMALL_MB));

  private WakeOrders() {}

  static Part part(Policies policies) {
    List<Row> rows =
        List.of(
            row("Figure 2, FIFO", "t1, t2, t3", FIGURE_2, policies.fifo(), "By age."),
            row("Figure 2, HPFW", "t2, t1, t3", FIGURE_2, policies.hpfw(), "By priority."),
            row("Figure 5, HPFW", "t1, t3, t2", FIGURE_5, policies.hpfw(), "By priority and age."),
            row(
                "Figure 5, SM-HPFW",
                "t3, t1, t2",
                FIGURE_5,
                policies.smHpfw(),
                "By priority, and the smaller of one priority."));
    return new Part(
        "002",
        "Figures 2 to 5: time and memory, and the order of waking",
        List.of(
            "Figures 3 and 4 are measurements on a K20M, of which the text gives one point: the 16th"
                + " multiplication needs 867 MB and takes 1,530 s. A model stands in: the work of a"
                + " multiplication grows with the memory to the power of 1.5, that of an FFT with M"
                + " log M. Both grow faster than the memory, as in the paper. The order of waking is"
                + " that of the core's policies `fifo`, `hpfw` and `sm-hpfw`; the third task of"
                + " Figure 5 is not in the text of the paper, a small one of low priority stands in."),
        List.of(Table.comparison("The order of waking", rows)),
        List.of(
            new Picture(
                "002-figures-3-4.png",
                "Time and memory relative to the 16th task",
                WakeOrders::chart)),
        List.of(rows.get(1), rows.get(3)));
  }

  private static Row row(String what, String paper, List<Task> tasks, Policy policy, String why) {
    String here =
        Device.order(tasks, policy).stream()
            .map(number -> "t" + number)
            .collect(Collectors.joining(", "));
    return Row.ofShape(what, paper, here, paper.equals(here), why);
  }

  /** Matrices grow by the same step in each task, so that the memory grows as its square. */
  private static BufferedImage chart() {
    double[] task = new double[CURVE];
    double[] memory = new double[CURVE];
    double[] multiplication = new double[CURVE];
    double[] transform = new double[CURVE];
    for (int i = 0; i < CURVE; i++) {
      task[i] = i + 1;
      memory[i] = task[i] * task[i] / (SIXTEENTH * SIXTEENTH);
      multiplication[i] = Task.aloneS(memory[i] * MB_OF_SIXTEENTH) / Task.aloneS(MB_OF_SIXTEENTH);
      transform[i] =
          memory[i]
              * StrictMath.log(memory[i] * MB_OF_SIXTEENTH * 1e6)
              / StrictMath.log(MB_OF_SIXTEENTH * 1e6);
    }
    return new Lines(
            "Figures 3 and 4: time grows faster than memory (model)",
            "number of the task",
            "relative to the 16th task")
        .line("memory", task, memory)
        .line("time, multiplication", task, multiplication)
        .line("time, FFT", task, transform)
        .draw();
  }
}

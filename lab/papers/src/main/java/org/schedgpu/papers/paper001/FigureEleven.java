package org.schedgpu.papers.paper001;

import java.awt.image.BufferedImage;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import org.schedgpu.papers.common.Lines;
import org.schedgpu.papers.common.Numbers;
import org.schedgpu.papers.common.Part;
import org.schedgpu.papers.common.Picture;
import org.schedgpu.papers.common.Row;
import org.schedgpu.papers.common.Table;
import org.schedgpu.papers.phases.PhasedOutcome;

/** Figure 11 with Tables 1 and 2: one to twelve instances of a program in three scenarios. */
final class FigureEleven {
  private static final int MOST = 12;
  private static final double NS = 1e9;

  /**
   * A program.
   *
   * @param program it
   * @param packed speed-up of tasks packed by hand, for 1, 2, ... instances
   * @param shared speed-up with schedGPU
   * @param twelve what became of twelve instances with schedGPU
   */
  @SuppressWarnings("ArrayRecordComponent") // drawn, never compared
  private record Curve(UseCase program, double[] packed, double[] shared, PhasedOutcome twelve) {
    double sharedAtTwelve() {
      return shared[MOST - 1];
    }

    double overPacked() {
      return shared[MOST - 1] / packed[MOST - 1];
    }

    int bestInstances() {
      int best = 0;
      for (int i = 1; i < MOST; i++) {
        best = shared[i] > shared[best] * 1.005 ? i : best;
      }
      return best + 1;
    }
  }

  private final List<Curve> curves;

  FigureEleven() {
    curves = UseCase.ALL.stream().map(FigureEleven::curve).toList();
  }

  private static Curve curve(UseCase program) {
    double[] packed = new double[MOST];
    double[] shared = new double[MOST];
    for (int instances = 1; instances <= MOST; instances++) {
      double oneByOneS = Usage.totalS(Scenarios.oneByOne(program, instances));
      packed[instances - 1] = oneByOneS / Usage.totalS(Scenarios.packed(program, instances));
      shared[instances - 1] = oneByOneS / Usage.totalS(Scenarios.schedGpu(program, instances));
    }
    return new Curve(program, packed, shared, Scenarios.schedGpu(program, MOST));
  }

  Part part() {
    List<Row> speedUps = speedUps();
    return new Part(
        "001",
        "Figure 11, Tables 1 and 2: instances of one program",
        List.of(
            "One to twelve instances of each program: one after the other (first scenario), packed"
                + " by hand in batches that fill the memory (second), all at once with schedGPU"
                + " (third). The speed-up is that over the first scenario with as many instances."
                + " Slurm is not part of this."),
        List.of(
            Table.comparison("Speed-ups with twelve instances", speedUps),
            Table.comparison("Tables 1 and 2: twelve instances with schedGPU", averages())),
        List.of(
            new Picture(
                "001-figure-11.png",
                "Speed-up over one instance after the other; dashed: packed by hand",
                this::chart)),
        speedUps.subList(0, curves.size()));
  }

  private BufferedImage chart() {
    double[] instances = IntStream.rangeClosed(1, MOST).mapToDouble(i -> i).toArray();
    Lines lines =
        new Lines("Figure 11: instances at the same time", "instances", "speed-up over one by one");
    curves.forEach(curve -> lines.line(curve.program().title(), instances, curve.shared()));
    for (int i = 0; i < curves.size(); i++) {
      lines.dashed(i, instances, curves.get(i).packed());
    }
    lines.remark("dashed: packed by hand");
    return lines.draw();
  }

  private List<Row> speedUps() {
    Curve ara = curves.get(0);
    Curve mummer = curves.get(1);
    Curve blast = curves.get(2);
    List<Row> rows = new ArrayList<>();
    rows.add(
        Row.of(
            "ARA, twelve at once (times)",
            10,
            ara.sharedAtTwelve(),
            2,
            "Here CPU parts do not slow each other down; in the paper an instance takes 260 s"
                + " instead of 227 s."));
    rows.add(
        Row.of(
            "MUMmerGPU, twelve at once (times)",
            9,
            mummer.sharedAtTwelve(),
            2,
            "All twelve start together, and half of them wait for their first memory."));
    rows.add(
        Row.of(
            "GPU-BLAST, twelve at once (times)",
            1.5,
            blast.sharedAtTwelve(),
            2,
            "Two have room at a time, and their kernels share the device."));
    rows.add(
        Row.of(
            "ARA, over packed by hand (times)",
            2,
            ara.overPacked(),
            2,
            "Two batches of six take twice as long as twelve that start together."));
    rows.add(
        Row.of(
            "MUMmerGPU, over packed by hand (times)",
            2,
            mummer.overPacked(),
            2,
            "As ARA, less the waits for memory."));
    rows.add(
        new Row(
            "GPU-BLAST, instances with the best speed-up",
            "4",
            Integer.toString(blast.bestInstances()),
            Numbers.signed(blast.bestInstances() - 4.0, 0),
            "The curve is flat: with two instances "
                + times(blast.shared()[1])
                + ", with four "
                + times(blast.shared()[3])
                + "."));
    return rows;
  }

  private static String times(double speedUp) {
    return String.format(Locale.ROOT, "%.2f", speedUp);
  }

  /** Tables 1 and 2 of the paper for twelve instances with schedGPU. */
  private List<Row> averages() {
    double[] busy = {5.26, 20.96, 90.24};
    double[] memory = {2.02, 41.59, 70.09};
    double[] meanS = {260.108, 370.169, 184.751};
    List<Row> rows = new ArrayList<>();
    for (int i = 0; i < curves.size(); i++) {
      PhasedOutcome twelve = curves.get(i).twelve();
      String name = curves.get(i).program().title();
      rows.add(
          Row.ofPercent(
              name + ", GPU busy (%)",
              busy[i],
              Usage.busyPercent(twelve),
              1,
              "The kernels of Table 1 over the total time."));
      rows.add(
          Row.ofPercent(
              name + ", memory used (%)",
              memory[i],
              Usage.memoryPercent(twelve),
              1,
              "Contexts stay while instances wait, and memory while kernels share the device."));
      rows.add(
          Row.of(
              name + ", mean time of an instance, waits included (s)",
              meanS[i],
              twelve.jobs().stream().mapToDouble(job -> job.endNs() / NS).average().orElse(0),
              1,
              i == 2
                  ? "The paper's value is less than half of its own total time for twelve:"
                      + " it leaves out waits, we think."
                  : "The instances wait less here than in the paper."));
    }
    return rows;
  }
}
